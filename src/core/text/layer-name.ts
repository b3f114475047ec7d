const maxLength = 300

/**
 * Converts a text to a valid layer name: a letter of any script first, then letters, digits and `_`; at most
 * 300 characters.
 */
export function toLayerName(text: string): string {
  const cleaned = text.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}_]/gu, '_')
  const name = /^\p{L}/u.test(cleaned) ? cleaned : `a_${cleaned}`
  return name.length <= maxLength ? name : [...name].slice(0, maxLength).join('')
}
