"""What students start from: data that is copied out and runs without the package."""
