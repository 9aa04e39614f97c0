"""Sphinx configuration of the documentation site; tools/build-docs runs it on a copy of docs/ and of what the pages link.

The start page is docs/README.md, and its lists are the navigation: every heading with the links below it becomes a part of the
side bar. The pages of the C API come from the public headers."""

import os
import re

WORK = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))  # of build-docs: source/docs/site is here
SOURCE = os.path.join(WORK, "source")

project = "Asperity"
with open(os.path.join(SOURCE, "include/asperity/version.h"), encoding="utf-8") as header:
    release = version = ".".join(re.findall(r"ASP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read()))
root_doc = "docs/README"
extensions = ["myst_parser", "breathe"]
include_patterns = ["docs/**", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "scenes/gallery/README.md"]
exclude_patterns = ["docs/site/**"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]

html_theme = "furo"
html_title = f"Asperity {release}"
html_copy_source = False
smartquotes = False  # "--set" stays what one types
html_show_sphinx = False
html_static_path = []
pygments_style = "default"
highlight_language = "none"  # blocks without a language: equations, tables

breathe_projects = {"asperity": os.path.join(WORK, "doxygen/xml")}
breathe_default_project = "asperity"
breathe_domain_by_extension = {"h": "c"}

# files that pages link and that are not pages: copied to the same place in the site
html_extra_path = [os.path.join(WORK, "extra")]


def parts(text):
    """(heading, pages) of a page's lists."""
    found, heading = [], None
    for line in text.splitlines():
        if line.startswith("## "):
            heading = line[3:]
            found.append((heading, []))
        elif heading and line.startswith("- "):
            found[-1][1].extend(re.findall(r"\]\(([^)#:]+)\.md\)", line)[:1])
    return [(heading, pages) for heading, pages in found if pages]


def add_navigation(_app, name, source):
    if name != root_doc:
        return
    tables = parts(source[0])
    tables.append(("C API", sorted("api/" + page[:-3] for page in os.listdir(os.path.join(SOURCE, "docs/api")))))
    for heading, pages in tables:
        source[0] += "\n```{toctree}\n:hidden:\n:caption: " + heading + "\n\n" + "\n".join(pages) + "\n```\n"


def add_replays(_app, name, source):
    """In the gallery, a picture leads to the page of its run, where tools/build-docs --gallery made it."""
    if name != "docs/gallery":
        return

    def linked(match):
        there = os.path.exists(os.path.join(WORK, "extra/gallery", match[1] + ".html"))
        return f'<a href="../gallery/{match[1]}.html">{match[0]}</a>' if there else match[0]

    source[0] = re.sub(r"!\[[^]]*\]\(images/([\w-]+)\.png\)", linked, source[0])


def setup(app):
    app.connect("source-read", add_navigation)
    app.connect("source-read", add_replays)
    return {"parallel_read_safe": True}
