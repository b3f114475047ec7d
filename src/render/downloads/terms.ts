import type { LayerRecord } from '../../catalog/index.ts'

/** Layer metadata of a file in addition to the rows. Plain data: it is passed between processes. */
export interface FileTerms {
  title: string
  abstract?: string
  attribution?: string
  licence?: string
  contact?: string
  owner?: string
  citation?: string
  doi?: string
}

export function termsOf({ details }: Pick<LayerRecord, 'details'>): FileTerms {
  const { title, abstract, attribution, licence, contact, owner, citation, doi } = details
  return { title, abstract, attribution, licence, contact, owner, citation, doi }
}

/** Returns attribution, licence, contact, owner, citation and DOI, with display names; none if unset. */
export function namedTerms({
  attribution,
  licence,
  contact,
  owner,
  citation,
  doi,
}: FileTerms): [name: string, text: string][] {
  const all: [string, string | undefined][] = [
    ['Attribution', attribution],
    ['Licence', licence],
    ['Contact', contact],
    ['Owner', owner],
    ['Citation', citation],
    ['DOI', doi],
  ]
  return all.flatMap(([name, text]) => (text === undefined || text === '' ? [] : [[name, text]]))
}

/** Returns the terms as members of a document; undefined if there are none. */
export function termMembers(terms: FileTerms): Record<string, string> | undefined {
  const members = namedTerms(terms).map(([name, text]) => [name.toLowerCase(), text])
  return members.length === 0 ? undefined : (Object.fromEntries(members) as Record<string, string>)
}
