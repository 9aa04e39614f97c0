"""check_links.py SITE: every link inside the site leads to a file that is there, and to a place that it has."""

import html.parser
import os
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.places = [], {""}
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.places.add(values.get("id", ""))
        if tag == "a":
            self.places.add(values.get("name", ""))
        for key in ("href", "src"):
            if values.get(key):
                self.links.append(values[key])


def main(site):
    pages = {}
    for folder, _folders, names in os.walk(site):
        for name in names:
            if name.endswith(".html") and "_static" not in folder and "gallery" not in os.path.relpath(folder, site).split(os.sep)[:1]:
                path = os.path.join(folder, name)
                pages[path] = Page(path)
    broken, count = [], 0
    for path, page in pages.items():
        for link in page.links:
            parsed = urllib.parse.urlsplit(link)
            if parsed.scheme or parsed.netloc:
                continue
            count += 1
            target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parsed.path))) if parsed.path else path
            if not os.path.exists(target):
                broken.append(f"{os.path.relpath(path, site)}: {link}: no such file")
            elif target in pages and urllib.parse.unquote(parsed.fragment) not in pages[target].places:
                broken.append(f"{os.path.relpath(path, site)}: {link}: no such place")
    print("\n".join(sorted(set(broken))))
    print(f"{len(pages)} pages, {count} links inside the site, {len(set(broken))} broken")
    return 1 if broken or not pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
