import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isInside } from '../../sources/path-guard.ts'
import { mosaicType } from '../../stores/rasters/coverage-types.ts'
import type { StoreRecord } from '../records.ts'
import { mosaicLocation } from '../rows/mosaic-index.ts'

/**
 * Removes the server's granules of a mosaic; files of users, and files that are not part of a mosaic, remain.
 */
export async function removeMosaicFolder(storesFolder: string, mosaic: StoreRecord): Promise<void> {
  if (mosaic.type !== mosaicType) return
  const { folder } = mosaicLocation(mosaic)
  if (folder === '' || resolve(folder) === resolve(storesFolder)) return
  if (!(await isInside([storesFolder], folder).catch(() => false))) return
  await rm(folder, { recursive: true, force: true })
}
