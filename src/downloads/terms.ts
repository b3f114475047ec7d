import type { LayerRecord } from '../catalog/records.ts'
import { defined } from '../lib/defined.ts'

/** What a file tells of its layer beside the rows. Plain data: it crosses processes. */
export interface FileTerms {
  title: string
  abstract?: string
  attribution?: string
  licence?: string
  contact?: string
}

export function termsOf({ details }: Pick<LayerRecord, 'details'>): FileTerms {
  const { title, abstract, attribution, licence, contact } = details
  return { title, ...defined({ abstract, attribution, licence, contact }) }
}

/** Those that say what may be done with the data, each with its name for people; none where nobody has set any. */
export function namedTerms({ attribution, licence, contact }: FileTerms): [name: string, text: string][] {
  const all: [string, string | undefined][] = [
    ['Attribution', attribution],
    ['Licence', licence],
    ['Contact', contact],
  ]
  return all.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]]))
}

/** The same as members of a document; undefined where there are none. */
export function termMembers(terms: FileTerms): Record<string, string> | undefined {
  const members = namedTerms(terms).map(([name, text]) => [name.toLowerCase(), text])
  return members.length === 0 ? undefined : (Object.fromEntries(members) as Record<string, string>)
}
