/**
 * Extensions of a reader to the common core, which all readers share: `yyyy-MM-dd`, optionally followed by a
 * time `HH:mm`, `HH:mm:ss` or with a fraction of any length (truncated to microseconds), then `Z`, `+hh:mm`
 * or nothing, which means UTC. Seconds range to 60 (a leap second is the first moment of the next minute),
 * and `24:00:00` is the end of the day. Days are those of the proleptic Gregorian calendar, from the year 0
 * on.
 */
export interface TimeRule {
  /** A blank for the `T`. */
  blank?: boolean
  /** `t` and `z` in lower case. */
  lowerCase?: boolean
  /** A comma before the fraction. */
  comma?: boolean
  /** Offsets `+hhmm` and `+hh`. */
  shortOffset?: boolean
  /** Accepts offsets of any two numbers, also beyond a day, and an offset that ends with its colon. */
  anyOffset?: boolean
  /** Maximum hours of an offset; default 23. */
  mostOffsetHours?: number
  /** True to refuse `24:00:00` and leap seconds. */
  plainClock?: boolean
  /** `yyyy-MM` and `yyyy`, which mean their first moment. */
  reduced?: boolean
  /** The forms without separators: `yyyyMM`, `yyyyMMdd`, `yyyyMMddHHmm`, `yyyyMMddHHmmss`, `yyyyMMddTHHmmss`; `THH` alone. */
  basic?: boolean
  /** Blanks and control characters around the text. */
  trims?: boolean
  /** Digits of a fraction behind the sixth must be zeros. */
  exactFraction?: boolean
  /** A blank before the zone, and a blank for the `+` that an unescaped query loses. */
  queryBlanks?: boolean
  /** `UTC` and `GMT` for `Z`. */
  zoneWords?: boolean
}

/** RFC 3339, section 5.6, with its note (a blank for the `T`, lower case), times without seconds or zone too. */
export const rfc3339: TimeRule = { blank: true, lowerCase: true }

/** ISO 8601 in files: accepted by every reader of declared dates and times. */
export const isoDateTime: TimeRule = { ...rfc3339, comma: true, shortOffset: true }

/** With `xs:gYearMonth` and `xs:gYear` of XML Schema. */
export const xmlDateTime: TimeRule = { ...isoDateTime, reduced: true }

/** DATETIME of GeoPackage, with any offset, for compatibility. */
export const geopackageDateTime: TimeRule = { ...isoDateTime, anyOffset: true }

/** Texts that a transformation converts to dates. */
export const textDateTime: TimeRule = { ...isoDateTime, reduced: true, basic: true, trims: true }

/** Texts for an existing column of dates, without loss. */
export const storedDateTime: TimeRule = { ...geopackageDateTime, exactFraction: true }

/** Parameters and forms of monitoring: only offsets in use and times that a clock shows. */
export const parameterDateTime: TimeRule = {
  ...isoDateTime,
  queryBlanks: true,
  mostOffsetHours: 18,
  plainClock: true,
}

/** Times written by GeoServer's monitoring. */
export const geoserverDateTime: TimeRule = { ...isoDateTime, queryBlanks: true, zoneWords: true }
