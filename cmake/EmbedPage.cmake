# cmake -DPAGE=page.html -DSOURCE=out.c -P EmbedPage.cmake: the page's bytes as a C array; no page: an empty one.
set(bytes "")
if(PAGE)
  file(READ ${PAGE} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
endif()
file(WRITE ${SOURCE} "#include \"viewer_page.h\"\n\nconst unsigned char viewer_page[] = {${bytes}0};\nconst size_t viewer_page_length = sizeof viewer_page - 1;\n")
