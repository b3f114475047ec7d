/** Form of a document of GeoServer's REST API. */
export type DocumentForm = 'json' | 'xml'

/**
 * Returns the form that a request asks for: by the extension of its path, otherwise by `Accept`. JSON is the default, and what
 * browsers get, whose `Accept` names XML behind HTML.
 */
export function documentForm(url: string, accept: string | undefined): DocumentForm {
  const [path = ''] = url.split('?', 1)
  if (path.endsWith('.xml')) return 'xml'
  if (path.endsWith('.json') || accept === undefined) return 'json'
  const ranges = accept.split(',').map(parseRange)
  if (ranges.some(({ type }) => type === 'text/html')) return 'json'
  // Sorting keeps the order of ranges with the same weight.
  const preferred = ranges
    .sort((one, other) => other.weight - one.weight)
    .find(({ form }) => form !== undefined)
  return preferred?.weight === 0 ? 'json' : (preferred?.form ?? 'json')
}

function parseRange(range: string): { type: string; form: DocumentForm | undefined; weight: number } {
  const [name = '', ...parameters] = range.split(';').map((one) => one.trim().toLowerCase())
  const weight = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1)
  return { type: name, form: formOfType(name), weight: Number.isFinite(weight) ? weight : 1 }
}

function formOfType(type: string): DocumentForm | undefined {
  if (isXmlType(type)) return 'xml'
  return /^(?:application\/(?:json|\*)|text\/json|\*\/\*)$/.test(type) ? 'json' : undefined
}

/** True for the media types of XML documents; not for those of a language of its own, such as SLD. */
export function isXmlType(type: string | undefined): boolean {
  return /^\s*(?:text|application)\/xml\s*(?:;|$)/i.test(type ?? '')
}
