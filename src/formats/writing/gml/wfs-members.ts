import type { FeatureBatch } from '../../../geo/batch.ts'
import type { Schema } from '../../../geo/schema.ts'
import type { FeatureFormat, FeatureWriter, WrittenAbout } from '../feature-format.ts'
import { WrittenText } from '../feature-format.ts'
import { GmlFeatureText } from './gml-feature-text.ts'
import type { GmlVersion } from './gml-schema.ts'

const members: Record<GmlVersion, string> = {
  '3.2': 'wfs:member',
  '3.1': 'gml:featureMember',
  '2.1': 'gml:featureMember',
}

class MemberWriter extends WrittenText implements FeatureWriter {
  readonly #features: GmlFeatureText
  readonly #member: string

  constructor(about: WrittenAbout, schema: Schema, version: GmlVersion) {
    super()
    this.#features = new GmlFeatureText(about, schema, { prefix: about.prefix ?? 'a', version })
    this.#member = members[version]
  }

  add(batch: FeatureBatch, row: number, id: string): void {
    const member = this.#member
    this.text += `<${member}>${this.#features.write(batch, row, id)}</${member}>\n`
  }
}

/** Writes the values of rows with one property; for rows without properties their ids. */
class ValueWriter extends WrittenText implements FeatureWriter {
  readonly #features: GmlFeatureText
  readonly #isId: boolean

  constructor(about: WrittenAbout, schema: Schema) {
    super()
    this.#features = new GmlFeatureText(about, schema, { prefix: about.prefix ?? 'a', version: '3.2' })
    this.#isId = schema.attributes.length === 0 && schema.geometry === undefined
  }

  add(batch: FeatureBatch, row: number, id: string): void {
    const key = this.#features.idOf(id)
    const value = this.#isId ? key : this.#features.writeProperties(batch, row, key)
    this.text += `<wfs:member>${value}</wfs:member>\n`
  }
}

function membersOf(version: GmlVersion): FeatureFormat {
  return { open: (about, schema) => new MemberWriter(about, schema, version), end: () => '' }
}

/**
 * Members of a feature collection of WFS 2.0 (OGC 09-025r2, section 11.3), of 1.1 (04-094, section 9.4) and
 * of GML 2.1.2 (02-069, section 2.4), without the enclosing elements.
 */
export const wfsMembers = { '3.2': membersOf('3.2'), '3.1': membersOf('3.1'), '2.1': membersOf('2.1') }

/** Members of a value collection of WFS 2.0 (OGC 09-025r2, section 10.3). */
export const wfsValues: FeatureFormat = {
  open: (about, schema) => new ValueWriter(about, schema),
  end: () => '',
}
