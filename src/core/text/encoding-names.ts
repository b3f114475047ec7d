import { ownValue } from '../values/record-keys.ts'

/** Code pages of the dBASE language driver byte (offset 29 of a .dbf), by driver id. */
const languageDrivers: Record<number, string> = {
  1: '437',
  2: '850',
  3: '1252',
  4: 'macroman',
  8: '865',
  9: '437',
  10: '850',
  11: '437',
  13: '437',
  14: '850',
  15: '437',
  16: '850',
  17: '437',
  18: '850',
  19: '932',
  20: '850',
  21: '437',
  22: '850',
  23: '865',
  24: '437',
  25: '437',
  26: '850',
  27: '437',
  28: '863',
  29: '850',
  31: '852',
  34: '852',
  35: '852',
  36: '860',
  37: '850',
  38: '866',
  55: '850',
  64: '852',
  77: '936',
  78: '949',
  79: '950',
  80: '874',
  87: '1252',
  88: '1252',
  89: '1252',
  100: '852',
  101: '866',
  102: '865',
  103: '861',
  106: '737',
  107: '857',
  108: '863',
  120: '950',
  121: '949',
  122: '936',
  123: '932',
  124: '874',
  134: '737',
  135: '852',
  136: '857',
  150: 'maccyrillic',
  151: 'maccenteuro',
  152: 'macgreek',
  200: '1250',
  201: '1251',
  202: '1254',
  203: '1253',
  204: '1257',
}

/** Names by their letters and digits in lower case, unless a rule below applies. */
const aliases: Record<string, string> = {
  utf8: 'UTF-8',
  unicode11utf8: 'UTF-8',
  utf16: 'UTF-16LE',
  utf16le: 'UTF-16LE',
  unicodelittleunmarked: 'UTF-16LE',
  iso10646ucs2: 'UTF-16LE',
  ucs2: 'UTF-16LE',
  utf16be: 'UTF-16BE',
  unicodebigunmarked: 'UTF-16BE',
  ascii: 'windows-1252',
  usascii: 'windows-1252',
  ansi: 'windows-1252',
  latin1: 'ISO-8859-1',
  l1: 'ISO-8859-1',
  latin2: 'ISO-8859-2',
  latin5: 'ISO-8859-9',
  latin3: 'ISO-8859-3',
  latin4: 'ISO-8859-4',
  latin6: 'ISO-8859-10',
  latin7: 'ISO-8859-13',
  latin8: 'ISO-8859-14',
  latin9: 'ISO-8859-15',
  latin10: 'ISO-8859-16',
  cyrillic: 'ISO-8859-5',
  arabic: 'ISO-8859-6',
  greek: 'ISO-8859-7',
  hebrew: 'ISO-8859-8',
  iso88598i: 'ISO-8859-8',
  gbk: 'GBK',
  gb2312: 'GBK',
  gb231280: 'GBK',
  euccn: 'GBK',
  gb18030: 'GB18030',
  big5: 'Big5',
  big5hkscs: 'Big5-HKSCS',
  shiftjis: 'Shift_JIS',
  sjis: 'Shift_JIS',
  windows31j: 'Shift_JIS',
  ms932: 'Shift_JIS',
  mskanji: 'Shift_JIS',
  cswindows31j: 'Shift_JIS',
  eucjp: 'EUC-JP',
  ujis: 'EUC-JP',
  euc: 'EUC-JP',
  euckr: 'EUC-KR',
  ksc5601: 'EUC-KR',
  ksc56011987: 'EUC-KR',
  ksx1001: 'EUC-KR',
  uhc: 'EUC-KR',
  windows949: 'EUC-KR',
  koi8r: 'KOI8-R',
  koi8u: 'KOI8-U',
  tis620: 'windows-874',
  macintosh: 'macintosh',
  macroman: 'macintosh',
  maccyrillic: 'x-mac-cyrillic',
  maccenteuro: 'x-mac-ce',
  maccentraleurope: 'x-mac-ce',
  macce: 'x-mac-ce',
  macgreek: 'x-mac-greek',
}

/** Windows code page numbers whose encodings have other names. */
const codePages: Record<number, string> = {
  874: 'windows-874',
  932: 'Shift_JIS',
  936: 'GBK',
  819: 'ISO-8859-1',
  943: 'Shift_JIS',
  949: 'EUC-KR',
  950: 'Big5',
  1200: 'UTF-16LE',
  1201: 'UTF-16BE',
  10000: 'macintosh',
  10006: 'x-mac-greek',
  10007: 'x-mac-cyrillic',
  10029: 'x-mac-ce',
  20127: 'windows-1252',
  20866: 'KOI8-R',
  20932: 'EUC-JP',
  21866: 'KOI8-U',
  51932: 'EUC-JP',
  51936: 'GBK',
  51949: 'EUC-KR',
  54936: 'GB18030',
  65001: 'UTF-8',
}

const dosPages = new Set([
  437, 720, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 866, 869,
])

/**
 * Returns the usual name of an encoding in any spelling, such as `UTF-8`, `1252`, `ANSI 1252`, `OEM 850`,
 * `88591`, `LDID/87`, `Cp1252` and `Shift_JIS`. Undefined for an unknown name.
 */
export function findEncodingName(text: string): string | undefined {
  const driver = /^\s*LDID\s*\/\s*(\d{1,3})\s*$/i.exec(text)
  if (driver !== null) return findLanguageDriverName(Number(driver[1]))
  const key = text
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/^x/, '')
  const known = ownValue(aliases, key)
  if (known !== undefined) return known
  const number = /^(?:ansi|oem|windows|win|cp|ms|ibm|dos|codepage|mswin|iso|isoiec)?(\d{3,6})$/.exec(key)
  return number === null ? undefined : codePageName(Number(number[1]))
}

/** Returns the encoding of a dBASE language driver id. */
export function findLanguageDriverName(id: number): string | undefined {
  const name = languageDrivers[id]
  return name === undefined ? undefined : findEncodingName(name)
}

function codePageName(number: number): string | undefined {
  const named = codePages[number]
  if (named !== undefined) return named
  if (number >= 1250 && number <= 1258) return `windows-${number}`
  if (dosPages.has(number)) return `CP${number}`
  const iso = /^8859(\d{1,2})$/.exec(String(number))?.[1]
  const part = iso === undefined ? number - 28590 : Number(iso)
  return part >= 1 && part <= 16 && part !== 12 ? `ISO-8859-${part}` : undefined
}
