import type { Entry } from 'yauzl'
import { getFileNameLowLevel } from 'yauzl'
import { getTextEncoding, isValidUtf8, type TextEncoding } from '../../core/text/text-encoding.ts'

/** Info-ZIP Unicode path extra field (APPNOTE 4.6.9). */
const unicodePathField = 0x7075

/** Encodings that writers use against the standard, in the order of the attempts. */
const candidates: readonly { name: string; isLatin: boolean }[] = [
  { name: 'CP437', isLatin: true },
  { name: 'windows-1252', isLatin: true },
  { name: 'CP850', isLatin: true },
  { name: 'CP866', isLatin: false },
  { name: 'windows-1251', isLatin: false },
]

/**
 * Returns the function that decodes the names of an archive's entries. A name is UTF-8 if its bytes are (many writers
 * forget the flag), else the Unicode path field counts, else the name is code page 437 (APPNOTE appendix D), unless the
 * names of all entries together clearly fit another code page.
 */
export function zipNameDecoder(entries: readonly Entry[]): (entry: Entry) => string {
  const unmarked = entries.filter((entry) => !isMarked(entry)).map((entry) => entry.fileNameRaw)
  const encoding = getTextEncoding(findCodePage(unmarked))
  return (entry) => {
    const raw = entry.fileNameRaw
    if (isValidUtf8(raw)) return raw.toString('utf8')
    if (isMarked(entry)) return getFileNameLowLevel(0, raw, entry.extraFields, true)
    return encoding.decode(raw)
  }
}

function isMarked({ fileNameRaw, extraFields }: Entry): boolean {
  return isValidUtf8(fileNameRaw) || extraFields.some(({ id }) => id === unicodePathField)
}

function findCodePage(names: readonly Uint8Array[]): string {
  const fitting = candidates.find(({ name, isLatin }) =>
    names.every((raw) => fits(getTextEncoding(name), isLatin, raw)),
  )
  return fitting?.name ?? 'CP437'
}

/** True if all characters beyond ASCII are letters, as in words of that script. */
function fits(encoding: TextEncoding, isLatin: boolean, raw: Uint8Array): boolean {
  const text = encoding.decode(raw)
  if (!isLatin) return /^(?:[\p{ASCII}№]|\p{Script=Cyrillic})*$/u.test(text)
  // Words with three accented letters in a row are rare in Latin script, and usual where the bytes are Cyrillic.
  return /^[\p{ASCII}[\p{Script=Latin}&&[\p{Lu}\p{Ll}]]]*$/v.test(text) && !/\P{ASCII}{3}/u.test(text)
}
