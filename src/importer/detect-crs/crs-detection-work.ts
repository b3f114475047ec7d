import { invalid } from '../../core/errors/errors.ts'
import { serveWork } from '../../core/workers/serve-work.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import type { ExpectedArea } from '../../geo/crs-detection/expected-area.ts'
import { findExpectedArea } from '../../geo/crs-detection/expected-area.ts'
import type { CrsAnswer } from '../../geo/crs-detection/find-crs.ts'
import { findCrsFor } from '../../geo/crs-detection/find-crs.ts'
import type { CrsClues } from '../../geo/crs-detection/hints.ts'
import { createReprojector } from '../../geo/crs-reproject.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { reprojectEnvelope } from '../../geo/reproject-envelope.ts'

/** Other data near which the data without a CRS may be. */
export interface Neighbour {
  /** `layer topp:roads`. */
  label: string
  srs: string
  envelope: Envelope
}

/** Data whose CRS is detected. Plain data: it is passed between threads. */
export interface CrsDetectionRequest {
  declaration?: CrsDeclaration
  envelope?: Envelope
  /** Name of a country or an area. */
  place?: string
  neighbours: Neighbour[]
  /** Names of the data and values of their columns. */
  clues?: CrsClues
}

/** Candidate CRSs of data, with the locations used for finding them. */
export interface DetectedCrs extends CrsAnswer {
  places: string[]
}

const world = 'EPSG:4326'

async function placeOf({ label, srs, envelope }: Neighbour): Promise<ExpectedArea[]> {
  try {
    const reprojector = await createReprojector(srs, world, { canUsePrograms: false })
    const box = await reprojectEnvelope(reprojector, envelope)
    return box === undefined ? [] : [{ label, boxes: [[box.minX, box.minY, box.maxX, box.maxY]] }]
  } catch {
    return []
  }
}

async function locate({
  place,
  neighbours,
  declaration,
  envelope,
  clues,
}: CrsDetectionRequest): Promise<DetectedCrs> {
  const named = place === undefined ? undefined : findExpectedArea(place)
  if (place !== undefined && named === undefined) {
    const text = `Place "${place}" is unknown: give a country, a state or a layer (workspace:name)`
    throw invalid('unknown-place', text)
  }
  const places = named === undefined ? (await Promise.all(neighbours.map(placeOf))).flat() : [named]
  const query = { places, declaration, envelope, clues }
  return { ...findCrsFor(query), places: places.map(({ label }) => label) }
}

/** Operations of the CRS detection worker. */
export type CrsDetectionWork = { locate(request: CrsDetectionRequest): Promise<DetectedCrs> }

serveWork<CrsDetectionWork, undefined>((_data, _tell, allowReset) => {
  allowReset()
  return { locate }
})
