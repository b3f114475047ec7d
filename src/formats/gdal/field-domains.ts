import type { Attribute } from '../../geo/schema.ts'
import { defined } from '../../lib/defined.ts'
import { withColumnTexts } from '../column-messages.ts'
import type { Message } from '../format.ts'
import { FormatError } from '../format.ts'
import type { GdalSource } from './gdal-programs.ts'
import type { OgrLayer } from './ogrinfo.ts'
import { parseCodedValues } from './ogrinfo.ts'

/** Domains that are looked up for a layer at most: each takes a run of `ogrinfo`. */
const maxDomains = 50

/** Gives attributes the aliases and the labels of coded values that GDAL tells of their fields, and messages that say so. */
export async function withFieldDomains(
  source: GdalSource,
  { fields = [] }: OgrLayer,
  attributes: readonly Attribute[],
): Promise<{ attributes: Attribute[]; messages: Message[] }> {
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
    return defined({ title, domain })
  })
  if (names.length <= maxDomains) return described
  const message = `Only ${maxDomains} of ${names.length} domains were looked at for labels of coded values`
  const left: Message = { level: 'warning', code: 'column-labels', message }
  return { ...described, messages: [...described.messages, left] }
}

/** The labels of a domain by their codes; undefined for a range, or where GDAL cannot tell. */
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
