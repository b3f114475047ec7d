import type { Attribute } from '../../geo/schema.ts'
import { withColumnTexts } from '../column-messages.ts'
import type { FormatMessage } from '../format.ts'
import { FormatError } from '../format.ts'
import type { GdalSource } from './gdal-programs.ts'
import type { OgrLayer } from './ogrinfo.ts'
import { parseCodedValues } from './ogrinfo.ts'

/** Maximum number of domains read per layer: each takes a run of `ogrinfo`. */
const maxDomains = 50

/**
 * Adds the aliases and labels of coded values that GDAL reports for fields to attributes, and messages about
 * them.
 */
export async function withFieldDomains(
  source: GdalSource,
  { fields = [] }: OgrLayer,
  attributes: readonly Attribute[],
): Promise<{ attributes: Attribute[]; messages: FormatMessage[] }> {
  const names = [...new Set(fields.flatMap(({ domain }) => domain ?? []))]
  const domains = new Map<string, ReadonlyMap<string, string>>()
  for (const name of names.slice(0, maxDomains)) {
    const labels = await readCodedValues(source, name)
    if (labels !== undefined) domains.set(name, labels)
  }
  const byName = new Map(fields.map((field) => [field.name, field]))
  const described = withColumnTexts(attributes, ({ name: attribute }) => {
    const { alias: title, domain: name } = byName.get(attribute) ?? {}
    const labels = name === undefined ? undefined : domains.get(name)
    const domain = name === undefined || labels === undefined ? undefined : { name, labels }
    return { title, domain }
  })
  if (names.length <= maxDomains) return described
  const message = `Only ${maxDomains} of ${names.length} domains were read for labels of coded values`
  const left: FormatMessage = { level: 'warning', code: 'column-labels', message }
  return { ...described, messages: [...described.messages, left] }
}

/** Returns the labels of a domain by code; undefined for a range, or if GDAL cannot read the domain. */
async function readCodedValues(
  source: GdalSource,
  domain: string,
): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    return parseCodedValues(await source.info(['-fielddomain', domain], []))
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}
