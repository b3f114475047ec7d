import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGeoPackageStore } from '../../src/stores/geopackage/geopackage-store.ts'
import type { StoreUnderTest } from './store-session.ts'

/** A store over a GeoPackage that is not there yet, in a folder of its own. */
export async function makeGeoPackageStore(): Promise<StoreUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'terrane-'))
  const open = () =>
    createGeoPackageStore({ path: join(folder, 'x.gpkg') }, { findDefinition: () => undefined })
  return {
    store: open(),
    reopen: open,
    keepsTimeAsText: true,
    dispose: () => rm(folder, { recursive: true, force: true }),
  }
}
