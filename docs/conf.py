"""Settings of Sphinx, which `build_site.py` calls. Nothing is fetched when the site is read."""

project = "Little-Go"
html_title = "Little-Go"
html_theme = "furo"
html_theme_options = {
    "announcement": '<a href="../">Play Little-Go in this browser</a>',
    "light_css_variables": {"color-brand-primary": "#6d4c41", "color-brand-content": "#a1440b"},
    "dark_css_variables": {"color-brand-primary": "#d7a98c", "color-brand-content": "#e8a16f"},
}
html_copy_source = False
html_show_sphinx = False
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 4
default_role = "code"  # docstrings write `names` so
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "exclude-members": "count, index"}  # those of a named tuple
python_maximum_signature_line_length = 80
highlight_language = "none"
