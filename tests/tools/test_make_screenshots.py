"""The pictures of the pages: each that the tool takes is one that the docs show."""

from make_screenshots import IMAGES, PICTURES


def test_every_picture_is_shown() -> None:
    docs = IMAGES.parent
    text = "".join(page.read_text() for page in [*docs.glob("*.md"), docs.parent / "README.md"])
    for name in PICTURES:
        assert f"images/{name}.webp" in text, name
        assert (IMAGES / f"{name}.webp").is_file(), name
