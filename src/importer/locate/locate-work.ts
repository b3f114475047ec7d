import type { CrsDeclaration } from '../../geo/crs.ts'
import type { CrsAnswer } from '../../geo/crs-finding/find-crs.ts'
import { findCrsFor } from '../../geo/crs-finding/find-crs.ts'
import type { CrsClues } from '../../geo/crs-finding/hints.ts'
import type { Place } from '../../geo/crs-finding/place.ts'
import { findPlace } from '../../geo/crs-finding/place.ts'
import { createReprojector } from '../../geo/crs-reproject.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { reprojectEnvelope } from '../../geo/reproject-envelope.ts'
import { invalid } from '../../lib/errors.ts'
import { serveWork } from '../../lib/workers/serve-work.ts'

/** Other data near which the data without a CRS may be. */
export interface Neighbour {
  /** `layer topp:roads`. */
  label: string
  srs: string
  envelope: Envelope
}

/** Data whose CRS is detected. Plain data: it is passed between threads. */
export interface LocateWish {
  declaration?: CrsDeclaration
  envelope?: Envelope
  /** Name of a country or an area. */
  place?: string
  neighbours: Neighbour[]
  /** Names of the data and values of their columns. */
  clues?: CrsClues
}

/** Candidate CRSs of data, with the locations used for finding them. */
export interface Located extends CrsAnswer {
  places: string[]
}

const world = 'EPSG:4326'

async function placeOf({ label, srs, envelope }: Neighbour): Promise<Place[]> {
  try {
    const reprojector = await createReprojector(srs, world, { canUsePrograms: false })
    const box = await reprojectEnvelope(reprojector, envelope)
    return box === undefined ? [] : [{ label, boxes: [[box.minX, box.minY, box.maxX, box.maxY]] }]
  } catch {
    return []
  }
}

async function locate({ place, neighbours, declaration, envelope, clues }: LocateWish): Promise<Located> {
  const named = place === undefined ? undefined : findPlace(place)
  if (place !== undefined && named === undefined) {
    const text = `No place is known as "${place}": name a country, a state or a layer (workspace:name)`
    throw invalid('unknown-place', text)
  }
  const places = named === undefined ? (await Promise.all(neighbours.map(placeOf))).flat() : [named]
  const question = {
    places,
    ...(declaration === undefined ? {} : { declaration }),
    ...(envelope === undefined ? {} : { envelope }),
    ...(clues === undefined ? {} : { clues }),
  }
  return { ...findCrsFor(question), places: places.map(({ label }) => label) }
}

/** Operations of the CRS detection worker. */
export type LocateWork = { locate(wish: LocateWish): Promise<Located> }

serveWork<LocateWork, undefined>(() => ({ locate }))
