# cmake -DNAME=viewer_page -DPAGE=page.html -DSOURCE=out.c -P EmbedPage.cmake: the page's bytes as a C array NAME; no page: an
# empty one.
set(bytes "")
if(PAGE)
  file(READ ${PAGE} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
endif()
file(WRITE ${SOURCE} "#include \"${NAME}.h\"\n\nconst unsigned char ${NAME}[] = {${bytes}0};\nconst size_t ${NAME}_length = sizeof ${NAME} - 1;\n")
