import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../src/app/app.ts'
import { loadSettings } from '../../src/core/config/settings.ts'
import type { OpenApi } from './api-types.ts'

/** File with the generated types of the API. */
export const apiTypesFile = 'web/api/openapi.d.ts'

/** The OpenAPI document of a server that was never used. */
export async function readOpenApi(): Promise<OpenApi> {
  const data = mkdtempSync(join(tmpdir(), 'terrane-openapi-'))
  const settings = loadSettings({ TERRANE_DATA: data, TERRANE_SAMPLE: 'off', TERRANE_LOG: 'silent' })
  const { app, close } = await createApp(settings, { notice: () => undefined })
  try {
    return (await app.inject({ url: '/openapi.json' })).json() as OpenApi
  } finally {
    await close()
    rmSync(data, { recursive: true, force: true })
  }
}
