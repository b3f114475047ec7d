import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { nearestVersion, wcsVersions } from '../../../src/api/ows/wcs/versions.ts'
import type { XmlElement } from '../../../src/core/text/xml-tree.ts'
import { readXmlTree, textNode } from '../../../src/core/text/xml-tree.ts'
import type { ImporterClient } from '../../support/importer-client.ts'
import { startImporter } from '../../support/importer-client.ts'
import { importRaster, rasterFixtures } from '../../support/rasters.ts'

const limits = {
  maxDepth: 50,
  onBroken: (error: Error) => {
    throw error
  },
  onTooLarge: () => assert.fail('the document is nested too deep'),
}

describe('the registry of WCS versions', () => {
  let client: ImporterClient
  const ending: (() => unknown)[] = []
  before(async () => {
    client = await startImporter({ after: (work: () => unknown) => ending.push(work) } as never)
    const folder = join(client.server.dataDir, 'incoming')
    copyFileSync(join(rasterFixtures, 'RGB.byte.tif'), join(folder, 'rgb.tif'))
    await importRaster(client, 'rgb.tif')
  })
  after(async () => {
    for (const end of ending.reverse()) await end()
  })

  /** Returns the root element, the text and the media type of the response. */
  const ask = async (query: string): Promise<{ root: XmlElement; text: string; type: unknown }> => {
    const { app, admin } = client.server
    const { body, headers } = await app.inject({ url: `/wcs?service=WCS&${query}`, headers: admin })
    const root = readXmlTree(body, limits).children.find(({ name }) => name !== textNode)
    assert.ok(root !== undefined, body)
    return { root, text: body, type: headers['content-type'] }
  }

  it('is ordered from the newest to the oldest, and selects the nearest version', () => {
    const numbers = wcsVersions.map(({ name }) => Number.parseFloat(name))
    assert.deepEqual(
      numbers.toSorted((a, b) => b - a),
      numbers,
    )
    assert.equal(nearestVersion(undefined), wcsVersions[0])
    assert.equal(nearestVersion('99'), wcsVersions[0])
    assert.equal(nearestVersion('0.1'), wcsVersions.at(-1))
    for (const version of wcsVersions) assert.equal(nearestVersion(version.name), version)
  })

  it('is listed by the capabilities of the newest version', async () => {
    const { text } = await ask('request=GetCapabilities')
    for (const { name } of wcsVersions)
      assert.ok(text.includes(`<ows:ServiceTypeVersion>${name}</ows:ServiceTypeVersion>`), name)
  })

  for (const { name, exceptions, operations, unknownCoverage } of wcsVersions)
    describe(`WCS ${name}`, () => {
      it('has capabilities that name the version and the coverage', async () => {
        for (const query of [`version=${name}`, `acceptVersions=9.9.9,${name}`]) {
          const { root, text } = await ask(`request=GetCapabilities&${query}`)
          assert.equal(root.attributes.version, name, query)
          assert.match(text, /default(?:__|:)rgb/)
        }
      })

      it('reports errors in its own format', async () => {
        for (const request of ['GetNothing', 'DescribeCoverage', 'GetCoverage']) {
          const { root, type } = await ask(`version=${name}&request=${request}`)
          assert.match(root.name, /ExceptionReport$/)
          assert.equal(type, request === 'GetNothing' ? type : exceptions.mediaType, request)
        }
      })

      it('reports an unknown coverage by its code', async () => {
        if (operations.describecoverage === undefined) return
        const parameters = ['coverageId', 'coverage'].map((one) => `${one}=default__none`).join('&')
        const { text } = await ask(`version=${name}&request=DescribeCoverage&${parameters}`)
        assert.ok(text.includes(`"${unknownCoverage('default__none').code}"`), text)
      })
    })
})
