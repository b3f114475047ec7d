import { adminPassword, createTestApp } from '../../support/app.ts'
import { listLayers } from '../../support/listed-layers.ts'

/** Puts layers without data into the catalogue of a data directory that no server works on. */
export async function listInto(dataDir: string, count: number): Promise<void> {
  const app = await createTestApp({ dataDir, env: { TERRANE_ADMIN_PASSWORD: adminPassword } })
  try {
    const layers = Array.from({ length: count }, (_, at) => {
      const name = `Layer ${String(at).padStart(5, '0')}`
      return { workspace: `place_${at % 20}`, name: `layer_${at}`, rows: at, details: { title: name } }
    })
    await listLayers(app, layers)
  } finally {
    await app.close()
  }
}
