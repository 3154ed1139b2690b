from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlego.core.errors import FormatError
from littlego.core.points import PASS, canonical_symmetry, move_name, parse_move, parse_point, points_of, symmetries

sizes = st.integers(2, 19)


@given(sizes, st.data())
def test_names_and_points_are_a_pair(size: int, data: st.DataObject) -> None:
    point = data.draw(st.integers(0, size * size - 1))
    assert parse_move(move_name(point, size), size) == point
    assert parse_move(move_name(PASS, size), size) is PASS


@pytest.mark.parametrize(
    "text", ["", "2", "2,", "2 3", "2,3,4", " 2,3", "2,3\n", "a,b", "-1,2", "pass", "2.0,3", "५,1"]
)
def test_other_texts_are_refused_by_name(text: str) -> None:
    with pytest.raises(FormatError, match="expected 'row,column'"):
        parse_point(text, 5)


@pytest.mark.parametrize("text", ["5,0", "0,5", "99,99"])
def test_points_off_the_board_are_refused(text: str) -> None:
    with pytest.raises(FormatError, match=f"{text} is not on a 5x5 board"):
        parse_point(text, 5)


@given(st.sets(st.integers(0, 360)))
def test_points_of_lists_a_mask_in_order(points: set[int]) -> None:
    assert list(points_of(sum(1 << point for point in points))) == sorted(points)


@pytest.mark.parametrize("size", [2, 3, 5, 6, 19])
def test_eight_different_symmetries_form_a_group(size: int) -> None:
    eight = symmetries(size)
    images = {symmetry.images for symmetry in eight}
    assert len(images) == 8
    assert eight[0].images == tuple(range(size * size))
    for one in eight:
        for other in eight:
            assert tuple(other.point(image) for image in one.images) in images


@pytest.mark.parametrize("size", [2, 5, 8])
def test_symmetries_keep_neighbours(size: int) -> None:
    def beside(one: int, other: int) -> bool:
        return abs(one // size - other // size) + abs(one % size - other % size) == 1

    for symmetry in symmetries(size):
        for one in range(size * size):
            for other in range(size * size):
                assert beside(one, other) == beside(symmetry.point(one), symmetry.point(other))


@given(st.integers(0, 2**25 - 1), st.integers(0, 2**25 - 1), st.integers(0, 7))
def test_all_images_share_one_canonical_image(black: int, white: int, k: int) -> None:
    def canonical(black: int, white: int) -> tuple[int, int]:
        symmetry = canonical_symmetry(5, black, white)
        return symmetry.mask(black), symmetry.mask(white)

    turned = symmetries(5)[k]
    assert canonical(black, white) == canonical(turned.mask(black), turned.mask(white))


def test_symmetry_carries_moves_and_masks_alike() -> None:
    for symmetry in symmetries(5):
        assert symmetry.move(PASS) is PASS
        for point in range(25):
            assert symmetry.mask(1 << point) == 1 << symmetry.point(point)
