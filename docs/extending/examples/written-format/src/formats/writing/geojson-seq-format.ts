import type { FeatureBatch } from '../../geo/batch.ts'
import { featureToJson } from '../../geo/feature-json.ts'
import type { FeatureFormat, FeatureWriter, WrittenAbout } from './feature-format.ts'
import { WrittenText } from './feature-format.ts'

/** Control character before each feature. */
const recordSeparator = '\u001e'

class GeoJsonSeqWriter extends WrittenText implements FeatureWriter {
  readonly #isYx: boolean

  constructor({ crs }: WrittenAbout) {
    super()
    this.#isYx = crs?.isYx === true
  }

  add(batch: FeatureBatch, row: number, id: string): void {
    this.text += `${recordSeparator}${featureToJson(batch, row, id, { isYx: this.#isYx })}\n`
  }
}

/** GeoJSON text sequences (RFC 8142): one feature per record. */
export const geoJsonSeqFormat: FeatureFormat = { open: (about) => new GeoJsonSeqWriter(about), end: () => '' }
