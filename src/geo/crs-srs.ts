const srsForms = [
  /^([A-Za-z][\w]*):([\w.-]+)$/,
  /^urn:(?:x-)?ogc:def:crs:([A-Za-z][\w]*):[\w.]*:([\w.-]+)$/i,
  /^urn:(?:x-)?ogc:def:crs:([A-Za-z][\w]*):([\w.-]+)$/i,
  /^https?:\/\/(?:www\.)?opengis\.net\/def\/crs\/([A-Za-z][\w]*)\/[\w.]+\/([\w.-]+)\/?$/i,
  /^https?:\/\/(?:www\.)?opengis\.net\/gml\/srs\/(epsg)\.xml#(\d+)$/i,
]

/**
 * Parses the authority id in `EPSG:4326`, an OGC URN or URL, ignoring case; CRS84 is `EPSG:4326`, since
 * coordinates here are x, y. Undefined for plain numbers and other text. Does not check whether the code
 * exists; see `findCrs`.
 */
export function parseSrs(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed.length > 200) return undefined
  for (const form of srsForms) {
    const match = form.exec(trimmed)
    if (match?.[1] === undefined || match[2] === undefined) continue
    const authority = match[1].toUpperCase() === 'IAU' ? 'IAU_2015' : match[1].toUpperCase()
    const code = match[2].toUpperCase()
    if (authority === 'OGC' || authority === 'CRS') {
      return code === 'CRS84' || code === '84'
        ? 'EPSG:4326'
        : code === 'CRS83'
          ? 'EPSG:4269'
          : `${authority}:${code}`
    }
    return `${authority}:${/^0+[1-9]/.test(code) ? code.replace(/^0+/, '') : code}`
  }
  return undefined
}
