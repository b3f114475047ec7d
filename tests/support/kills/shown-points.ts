import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestServer } from '../server.ts'

/** A feature as the kills load them. */
export interface ShownPoint {
  properties: { gid: number; name: string }
  geometry: { coordinates: number[] }
}

interface Page {
  features: ShownPoint[]
  links: { rel: string; href: string }[]
}

/**
 * Returns every feature of a collection by its number, in a stored version or now; waits while the server is
 * busy.
 */
export async function shownPoints(
  server: Pick<TestServer, 'call'>,
  collection: string,
  version?: number,
): Promise<ShownPoint[]> {
  const ofVersion = version === undefined ? '' : `&version=${version}`
  let path: string | undefined = `/ogc/collections/${collection}/items?limit=10000${ofVersion}`
  const found: ShownPoint[] = []
  while (path !== undefined) {
    const { status, json, text } = await server.call('GET', path)
    if (status === 503) {
      await sleep(100)
      continue
    }
    assert.equal(status, 200, `version ${version}: ${text}`)
    const { features, links } = json as unknown as Page
    found.push(...features)
    path = links.find(({ rel }) => rel === 'next')?.href.replace(/^https?:\/\/[^/]+/, '')
  }
  return found.sort((a, b) => a.properties.gid - b.properties.gid)
}
