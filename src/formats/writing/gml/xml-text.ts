const notPlain = /[&<>\p{Cc}\p{Cs}\ufffe\uffff]/u
const special = /[&<>\p{Cc}\ufffe\uffff]/gu
const references = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['\r', '&#13;'],
  ['\t', '\t'],
  ['\n', '\n'],
])

/** XML does not allow most control characters, not even as references. */
function referenceOf(character: string): string {
  const isControl = character < ' ' || character >= '\ufffe'
  return references.get(character) ?? (isControl ? '\ufffd' : character)
}

/** Escapes a text as element content; characters that XML does not allow become U+FFFD. */
export function xmlText(text: string): string {
  return notPlain.test(text) ? text.toWellFormed().replace(special, referenceOf) : text
}

/** Escapes a text as an attribute value in double quotes. */
export function xmlAttribute(text: string): string {
  return xmlText(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')
}

const nameStart = /[\p{L}\p{Nl}_]/u
const namePart = /[\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}_.\-·]/u

/** Beyond the basic plane, and for some characters within it, versions of XML differ in what is a letter. */
function isSafe(character: string, isFirst: boolean): boolean {
  const code = character.codePointAt(0) ?? 0
  const isAllowed = code < 0x2000 || (code >= 0x3040 && code <= 0x30ff) || (code >= 0x4e00 && code <= 0x9fa5)
  return isAllowed && (isFirst ? nameStart : namePart).test(character) && !/[ªºᐁ-᙭]/u.test(character)
}

/**
 * Converts any text to an element name (NCName): invalid characters become `_xHHHH_`, as in the mapping of
 * SQL names to XML names (ISO 9075-14, section 9.1). Different texts have different names.
 */
export function xmlName(text: string): string {
  let name = ''
  let isFirst = true
  for (const character of text.replaceAll('_x', '_x005F_x')) {
    if (isSafe(character, isFirst)) name += character
    else {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
      name += `_x${code.padStart(code.length > 4 ? 6 : 4, '0')}_`
    }
    isFirst = false
  }
  return name === '' ? '_x0000_' : name
}

/** Returns the text that `xmlName` converted to a name. */
export function fromXmlName(name: string): string {
  if (name === '_x0000_') return ''
  return name.replace(/_x([0-9A-Fa-f]{6}|[0-9A-Fa-f]{4})_/g, (written, code: string) => {
    const point = Number.parseInt(code, 16)
    return point <= 0x10ffff ? String.fromCodePoint(point) : written
  })
}

/** Returns the id of a feature in documents. */
export function gmlId(layer: string, id: string): string {
  return `${xmlName(layer)}.${xmlName(`_${id}`).slice(1)}`
}

/**
 * Returns the id of a feature of a layer from its `gmlId`, or unchanged; undefined if it names another layer.
 */
export function fromGmlId(layer: string, text: string): string | undefined {
  const before = [`${xmlName(layer)}.`, `${layer}.`].find((one) => text.startsWith(one))
  if (before !== undefined) return fromXmlName(`_${text.slice(before.length)}`).slice(1)
  return text.includes('.') ? undefined : text
}
