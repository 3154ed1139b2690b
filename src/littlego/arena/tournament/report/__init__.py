"""What a tournament shows: summary, page, exports, and the points of the 2019 competition."""
