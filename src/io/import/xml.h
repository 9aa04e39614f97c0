/* XML text to a tree with line numbers, by expat. Bounded: no declared entities (so no external ones and no entity that
 * grows), at most XML_DEPTH_MAX levels and XML_NODES_MAX elements. Lenient where files in the wild are: prefixes need
 * not be declared, and text before the declaration is skipped. Depends on base and expat.
 */
#ifndef ASP_IO_IMPORT_XML_H
#define ASP_IO_IMPORT_XML_H

#include "base/base.h"

#define XML_DEPTH_MAX 200
#define XML_NODES_MAX 2000000

typedef struct XmlAttribute {
  const char *name, *value;
  bool used; /* a translator has read it */
} XmlAttribute;

typedef struct XmlNode XmlNode;
struct XmlNode {
  const char *name;
  const char *file; /* the file it stands in */
  int line;         /* from 1 */
  const char *text; /* between its tags, where it has no children; "" otherwise */
  XmlAttribute *attribute;
  int attributes;
  XmlNode *parent, *child, *last, *next;
  bool used;     /* a translator has read it */
  bool reported; /* with all in it */
};

/* The tree lives in the arena; `file` is lent for as long. ASP_ERROR_INPUT: "FILE:LINE: ...". */
AspError asp_xml_parse(AspArena *arena, const char *text, size_t length, const char *file, XmlNode **root);

/* The value of an attribute, NULL where there is none; it counts as used from now on. */
const char *asp_xml_attribute(const XmlNode *node, const char *name);
/* The first child of that name, and the next such element behind it; NULL: none. They count as used from now on. */
XmlNode *asp_xml_child(const XmlNode *node, const char *name);
XmlNode *asp_xml_next(const XmlNode *node);
/* A copy of the text in the arena; NULL: out of memory. */
char *asp_xml_copy(AspArena *arena, const char *text, size_t length);

#endif
