/**
 * Data licences by SPDX identifier, each with its address in the EU's list of licences, if it has one, and
 * common names (in lower case, without punctuation).
 */
const euLicences = 'http://publications.europa.eu/resource/authority/licence'
const known: [spdx: string, eu: string | undefined, ...names: string[]][] = [
  ['CC0-1.0', `${euLicences}/CC0`, 'cc0', 'cc zero', 'creativecommons.org/publicdomain/zero/1.0'],
  ['CC-BY-4.0', `${euLicences}/CC_BY_4_0`, 'cc by', 'creativecommons.org/licenses/by/4.0'],
  ['CC-BY-SA-4.0', `${euLicences}/CC_BYSA_4_0`, 'cc by sa', 'creativecommons.org/licenses/by-sa/4.0'],
  ['CC-BY-NC-4.0', `${euLicences}/CC_BYNC_4_0`, 'cc by nc', 'creativecommons.org/licenses/by-nc/4.0'],
  ['CC-BY-ND-4.0', `${euLicences}/CC_BYND_4_0`, 'cc by nd', 'creativecommons.org/licenses/by-nd/4.0'],
  ['CC-BY-3.0', undefined, 'creativecommons.org/licenses/by/3.0'],
  ['CC-BY-SA-3.0', undefined, 'creativecommons.org/licenses/by-sa/3.0'],
  ['ODbL-1.0', `${euLicences}/ODC_BL`, 'odbl', 'opendatacommons.org/licenses/odbl/1.0'],
  ['ODC-By-1.0', `${euLicences}/ODC_BY`, 'opendatacommons.org/licenses/by/1.0'],
  ['PDDL-1.0', `${euLicences}/ODC_PDDL`, 'pddl', 'opendatacommons.org/licenses/pddl/1.0'],
  ['DL-DE-BY-2.0', undefined, 'dl de by 2 0', 'govdata.de/dl-de/by-2-0'],
  ['DL-DE-ZERO-2.0', undefined, 'dl de zero 2 0', 'govdata.de/dl-de/zero-2-0'],
  ['etalab-2.0', undefined, 'licence ouverte 2 0'],
  ['NLOD-2.0', undefined, 'data.norge.no/nlod/no/2.0'],
  ['OGL-UK-3.0', undefined, 'nationalarchives.gov.uk/doc/open-government-licence/version/3'],
]

/** Licence extracted from the terms of a layer. */
export interface Licence {
  /** By the list of SPDX. */
  spdx?: string
  /** Address of the terms, from the EU's list if possible. */
  address?: string
}

/** Recognizes the licence named in a text; empty if it is free text. */
export function readLicence(text: string): Licence {
  const address = /^https?:\/\/\S+$/i.test(text.trim()) ? text.trim() : undefined
  const name = plain(text)
  const found = known.find(([spdx, , ...names]) => [spdx, ...names].some((one) => plain(one) === name))
  const [spdx, eu] = found ?? []
  const named = address ?? eu
  return { spdx, address: named }
}

function plain(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\/(www\.)?/, '')
    .replace(/(legalcode|deed)(\.\w+)?\/?$/, '')
    .replace(/[\s._/-]+/g, ' ')
    .trim()
}
