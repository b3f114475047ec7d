/**
 * Degrees with optional minutes and seconds, and a sign or letter: `52°31'12.0"N`, `N 52 31.2`, `-33° 51′
 * 31″`, `52d31m12s`.
 */
const form =
  /^\s*([NSEW])?\s*([-+]?)(\d{1,3}(?:[.,]\d+)?)\s*(°|º|˚|d|deg|:)?\s*(?:(?<=[°º˚dg:\s])(\d{1,2}(?:[.,]\d+)?)\s*(?:'(?!')|′|’|m|min|:)?\s*(?:(?<=['′’mn:\s])(\d{1,2}(?:[.,]\d+)?)\s*(?:"|″|”|''|′′|s|sec)?)?)?\s*([NSEW])?\s*$/i
const longest = 64

/** Axis of an angle. */
export type Axis = 'latitude' | 'longitude'

/**
 * Parses an angle with a degree sign, minutes, or a hemisphere letter. Returns undefined for a plain number,
 * for other text, and for an angle whose letter or size does not fit the axis.
 */
export function parseDegrees(text: string, axis: Axis): number | undefined {
  if (text.length > longest) return undefined
  const found = form.exec(text)
  if (found === null) return undefined
  const [, before, sign, first = '', mark, minuteText, secondText, behind] = found
  const letter = (before ?? behind)?.toUpperCase()
  if (mark === undefined && minuteText === undefined && letter === undefined) return undefined
  if (before !== undefined && behind !== undefined) return undefined
  if (letter !== undefined && (sign !== '' || !(axis === 'latitude' ? 'NS' : 'EW').includes(letter)))
    return undefined
  const [degrees, minutes, seconds] = [first, minuteText, secondText].map(numberOf)
  if (degrees === undefined || minutes === undefined || seconds === undefined) return undefined
  if (minutes >= 60 || seconds >= 60) return undefined
  // Only the last part has a fraction.
  if (hasFraction(first) && minuteText !== undefined) return undefined
  if (hasFraction(minuteText) && secondText !== undefined) return undefined
  const angle = (degrees * 3600 + minutes * 60 + seconds) / 3600
  if (angle > (axis === 'latitude' ? 90 : 180)) return undefined
  return sign === '-' || letter === 'S' || letter === 'W' ? -angle : angle
}

const numberOf = (text = '0'): number => Number(text.replace(',', '.'))
const hasFraction = (text = ''): boolean => /[.,]/.test(text)
