import { invalid } from '../core/errors/errors.ts'

/** A registrant's prefix, such as `10.1234`, and the name that the registrant chose (ISO 26324). */
const pattern = /^10\.\d{4,9}(?:\.\d+)*\/[^\s\p{C}]+$/u

/**
 * Returns a digital object identifier without prefix or address, in lower case because its letters A to Z have no case; an empty
 * text for an empty one. Throws `invalid-body` for other text.
 */
export function readDoi(text: string): string {
  const address = /^(?:https?:\/\/(?:dx\.|www\.)?doi\.org\/|doi:)(.*)$/i.exec(text.trim())
  const [, encoded] = address ?? []
  const doi = (encoded === undefined ? text.trim() : decoded(encoded)).replace(/[A-Z]/g, (letter) =>
    letter.toLowerCase(),
  )
  if (doi === '' && encoded === undefined) return ''
  if (!pattern.test(doi))
    throw invalid(
      'invalid-body',
      `"${text.slice(0, 100)}" is not a DOI: write it as 10.1234/trees or https://doi.org/10.1234/trees`,
    )
  return doi
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.trim())
  } catch {
    return text.trim()
  }
}

/** Returns the address at which a DOI without prefix is resolved. */
export function doiAddress(doi: string): string {
  return `https://doi.org/${encodeURI(doi).replaceAll('#', '%23').replaceAll('?', '%3F')}`
}

/** Returns the link to the persistent address of data (RFC 8574); none without a DOI. */
export function doiLinks({ doi }: { doi?: string }): { rel: string; title: string; href: string }[] {
  return doi ? [{ rel: 'cite-as', title: `DOI ${doi}`, href: doiAddress(doi) }] : []
}
