/** Without what is no character of XML 1.0 (section 2.2). */
export function xmlText(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** An element with a text; nothing where there is none. */
export function textElement(name: string, text: string | undefined): string {
  return text === undefined || text === '' ? '' : `<${name}>${xmlText(text)}</${name}>`
}
