/* Attributes as numbers, and angles as rotations. */
#include "io/import/import.h"

#include "io/file/text_number.h"
#include "linalg/vec3.h"

#include <stdlib.h>

#define LARGEST 1e15 /* as positions of scenes */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ','; }

int asp_import_numbers(Import *import, const XmlNode *node, const char *text, double *numbers, int most) {
  int count = 0;
  for (;;) {
    while (is_blank(*text))
      text++;
    if (!*text)
      return count;
    int length = 0;
    char shown[40];
    while (text[length] && !is_blank(text[length]))
      length++;
    double number = 0;
    if (!asp_text_number(text, length, &number) || !(fabs(number) <= LARGEST)) {
      asp_import_fail(import, node, "%s: '%s' is not a number within +-%g", node->name,
                      asp_text_show(text, length, shown), LARGEST);
      return -1;
    }
    if (count < most)
      numbers[count] = number;
    count++;
    text += length;
  }
}

double asp_import_bound(Import *import, const XmlNode *node, const char *text, double otherwise) {
  double number = otherwise;
  char *end = NULL;
  if (!text)
    return otherwise;
  number = strtod(text, &end);
  if (end != text && !isnan(number) && fabs(number) > LARGEST)
    return number < 0 ? -INFINITY : INFINITY;
  number = otherwise;
  asp_import_numbers(import, node, text, &number, 1);
  return number;
}

bool asp_import_vector(Import *import, const XmlNode *node, const char *name, double *numbers, int count) {
  const char *text = asp_xml_attribute(node, name);
  double found[16] = {0};
  if (!text)
    return false;
  int given = asp_import_numbers(import, node, text, found, count);
  if (given == 0) // ="", as macros leave it: not given
    return false;
  if (given >= 0 && given != count)
    asp_import_fail(import, node, "%s: %s has %d numbers, expected %d", node->name, name, given, count);
  if (given != count)
    return false;
  memcpy(numbers, found, (size_t)count * sizeof *numbers);
  return true;
}

double asp_import_number(Import *import, const XmlNode *node, const char *name, double otherwise) {
  double number = otherwise;
  return asp_import_vector(import, node, name, &number, 1) ? number : otherwise;
}

const char *asp_import_required(Import *import, const XmlNode *node, const char *name) {
  const char *text = asp_xml_attribute(node, name);
  if (!text)
    asp_import_fail(import, node, "%s: the attribute %s is missing", node->name, name);
  return text ? text : "";
}

AspQuat asp_import_rpy(double roll, double pitch, double yaw) {
  AspQuat x = quat_from_axis_angle(vec3(1, 0, 0), roll), y = quat_from_axis_angle(vec3(0, 1, 0), pitch),
          z = quat_from_axis_angle(vec3(0, 0, 1), yaw);
  return quat_normalize(quat_multiply(z, quat_multiply(y, x)));
}
