import type { CrsDeclaration } from '../../../geo/crs.ts'
import { isSameCrs } from '../../../geo/crs-same.ts'
import type { Envelope } from '../../../geo/envelope.ts'
import { unionEnvelope } from '../../../geo/envelope.ts'
import type { GranuleFault, GranuleRecord } from '../../model/model.ts'

/** Common properties of all granules of a mosaic, with a representative granule. */
export interface CheckedGranules {
  granules: GranuleRecord[]
  /** The first valid granule. */
  model?: GranuleRecord
  /** Envelope of the valid granules. */
  envelope?: Envelope
}

/** Returns the code of a CRS, or the definition from the file if it has no code. */
function crsText(crs: CrsDeclaration | undefined, srs = crs?.srs): string {
  return srs ?? crs?.wkt ?? crs?.projjson ?? crs?.proj4 ?? ''
}

/** Maximum number of distinct CRSs to compare. Granules with more cannot form one mosaic. */
const maxSystems = 20

/** Returns the key of a granule's CRS, which is equal for equal systems, however they are written. */
function crsKeys(): Trait['keyOf'] {
  const byText = new Map<string, string>()
  const systems: { key: string; crs: CrsDeclaration | undefined }[] = []
  return ({ raster, srs }) => {
    const text = crsText(raster?.crs, srs)
    const known = byText.get(text)
    if (known !== undefined) return known
    const crs = text === '' ? undefined : { ...raster?.crs, srs: srs ?? raster?.crs?.srs }
    const key = systems.find((one) => isSameCrs(one.crs, crs))?.key ?? text
    if (key === text && systems.length < maxSystems) systems.push({ key, crs })
    byText.set(text, key)
    return key
  }
}

export function bandsKey(granule: Pick<GranuleRecord, 'raster'>): string {
  return (granule.raster?.bands ?? []).map(({ dataType }) => dataType).join(', ')
}

function crsName(granule: GranuleRecord): string {
  if (granule.srs !== undefined) return granule.srs
  const text = crsText(granule.raster?.crs)
  return text === '' ? 'no CRS' : (/"([^"]{1,100})"/.exec(text)?.[1] ?? 'a CRS that is not known')
}

function bandsName(granule: GranuleRecord): string {
  const count = granule.raster?.bands.length ?? 0
  return `${count} ${count === 1 ? 'band' : 'bands'} (${bandsKey(granule)})`
}

/** A property that all granules must share. */
interface Trait {
  code: GranuleFault['code']
  keyOf(granule: GranuleRecord): string
  describe(granule: GranuleRecord): string
}

const traits = (): Trait[] => [
  {
    code: 'other-format',
    keyOf: ({ format = '' }) => format,
    describe: ({ format }) => `is ${format ?? ''}`,
  },
  { code: 'other-crs', keyOf: crsKeys(), describe: (granule) => `has ${crsName(granule)}` },
  { code: 'other-bands', keyOf: bandsKey, describe: (granule) => `has ${bandsName(granule)}` },
]

/** Returns the value that most granules have; the first one in case of a tie. */
function commonest(granules: GranuleRecord[], keyOf: Trait['keyOf']): string | undefined {
  const counts = new Map<string, number>()
  for (const granule of granules) counts.set(keyOf(granule), (counts.get(keyOf(granule)) ?? 0) + 1)
  let best: [string, number] | undefined
  for (const entry of counts) if (best === undefined || entry[1] > best[1]) best = entry
  return best?.[0]
}

function withoutFault({ fault: _fault, ...granule }: GranuleRecord): GranuleRecord {
  return granule
}

function unsharedFault(granule: GranuleRecord): GranuleFault | undefined {
  if (granule.raster === undefined) {
    return granule.fault ?? { code: 'unreadable', reason: 'no raster format can read it' }
  }
  if (granule.envelope !== undefined) return undefined
  return { code: 'no-extent', reason: 'has no extent: it is not georeferenced' }
}

/**
 * Checks whether each granule can take part: it must be readable, have an extent, and share format, CRS and
 * band types with most of the others.
 */
export function checkGranules(given: GranuleRecord[]): CheckedGranules {
  const faults = new Map<GranuleRecord, GranuleFault>()
  let fitting: GranuleRecord[] = []
  for (const granule of given) {
    const fault = unsharedFault(granule)
    if (fault === undefined) fitting.push(granule)
    else faults.set(granule, fault)
  }
  for (const { code, keyOf, describe } of traits()) {
    const shared = commonest(fitting, keyOf)
    const example = fitting.find((granule) => keyOf(granule) === shared)
    const isOdd = (granule: GranuleRecord) => keyOf(granule) !== shared
    for (const granule of fitting.filter(isOdd)) {
      const others = example === undefined ? '' : `, but the mosaic ${describe(example)}`
      faults.set(granule, { code, reason: `${describe(granule)}${others}` })
    }
    fitting = fitting.filter((granule) => !isOdd(granule))
  }
  const [model] = fitting
  const envelopes = fitting.flatMap(({ envelope }) => envelope ?? [])
  const granules = given.map((granule) => {
    const fault = faults.get(granule)
    return fault === undefined ? withoutFault(granule) : { ...granule, fault }
  })
  return { granules, model, envelope: envelopes.length === 0 ? undefined : envelopes.reduce(unionEnvelope) }
}
