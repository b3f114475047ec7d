import type { AttributeType } from '../../../../geo/schema.ts'

const numbers: ReadonlySet<AttributeType> = new Set([
  'int16',
  'int32',
  'int64',
  'float32',
  'float64',
  'decimal',
])

/**
 * Returns the text of an XML element as a JSON value for a column: what its XML Schema type does not allow stays
 * a text, which the column then refuses. An empty element is null, except for texts.
 */
export function propertyJson(type: AttributeType, text: string): string {
  if (type === 'text') return JSON.stringify(text)
  const plain = text.trim()
  if (plain === '') return 'null'
  if (type === 'boolean') return booleanJson(plain)
  if (numbers.has(type)) return numberJson(plain)
  if (type === 'binary') return JSON.stringify(plain.replace(/\s+/g, ''))
  if (type === 'date' || type === 'time') return JSON.stringify(plain.replace(/Z$/, ''))
  return JSON.stringify(plain)
}

function booleanJson(text: string): string {
  if (text === 'true' || text === '1') return 'true'
  return text === 'false' || text === '0' ? 'false' : JSON.stringify(text)
}

/** XML Schema allows a plus sign, leading zeros, and a point at either end, which JSON does not. */
function numberJson(text: string): string {
  const [, sign = '', whole, fraction = '', exponent = ''] =
    /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d{1,6})?$/.exec(text) ?? []
  if (whole === undefined || whole + fraction === '') return JSON.stringify(text)
  const digits = whole.replace(/^0+(?=\d)/, '')
  return `${sign === '-' ? '-' : ''}${digits === '' ? '0' : digits}${fraction === '' ? '' : `.${fraction}`}${exponent}`
}
