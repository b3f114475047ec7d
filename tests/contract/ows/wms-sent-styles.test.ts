import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import type { TestApp } from '../../support/app.ts'
import { createTestApp } from '../../support/app.ts'
import { importPoints } from '../../support/versioned-layers.ts'

function markRule(colour: string, more = ''): string {
  return `<Rule>${more}<PointSymbolizer><Graphic><Mark><WellKnownName>square</WellKnownName><Fill><CssParameter name="fill">${colour}</CssParameter></Fill></Mark><Size>20</Size></Graphic></PointSymbolizer></Rule>`
}

function userStyle(rules: string, more = ''): string {
  return `<UserStyle>${more}<FeatureTypeStyle>${rules}</FeatureTypeStyle></UserStyle>`
}

function sldOf(...layers: string[]): string {
  return `<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld" xmlns:ogc="http://www.opengis.net/ogc">${layers.join('')}</StyledLayerDescriptor>`
}

function named(name: string, inside: string): string {
  return `<NamedLayer><Name>${name}</Name>${inside}</NamedLayer>`
}

const isA = `<ogc:Filter><ogc:PropertyIsEqualTo><ogc:PropertyName>name</ogc:PropertyName><ogc:Literal>a</ogc:Literal></ogc:PropertyIsEqualTo></ogc:Filter>`
const red = markRule('#ff0000', isA) + markRule('#0000ff')
const green = markRule('#00ff00')

const box = 'version=1.1.1&request=GetMap&srs=EPSG:4326&bbox=0,0,5,5&width=100&height=100&format=image/png'

async function serve(env: Record<string, string>): Promise<TestApp> {
  const server = await createTestApp({ env })
  await importPoints(server, { name: 'roads' })
  await importPoints(server, { name: 'trees', points: [['c', 2.5, 1]] })
  const headers = { ...server.admin, 'content-type': 'application/vnd.ogc.sld+xml' }
  for (const [name, rules] of Object.entries({ red, green })) {
    const payload = sldOf(named(name, userStyle(rules)))
    const made = await server.app.inject({
      method: 'POST',
      url: `/rest/styles?name=${name}`,
      headers,
      payload,
    })
    assert.equal(made.statusCode, 201, made.body)
  }
  return server
}

describe('styles that a request brings along', () => {
  const ask = async (server: TestApp, query: string, sld?: string) => {
    const body = sld === undefined ? '' : `&sld_body=${encodeURIComponent(sld)}`
    const url = `/wms?service=WMS&${box}&${query}${body}`
    return server.app.inject({ url, headers: server.admin })
  }
  const picture = async (...requested: Parameters<typeof ask>): Promise<Buffer> => {
    const reply = await ask(...requested)
    assert.equal(reply.statusCode, 200, reply.body)
    return reply.rawPayload
  }

  it('draw what the same styles draw that are kept', async (t) => {
    const server = await serve({ TERRANE_SLD_BODY: 'on' })
    t.after(() => server.close())
    const both = await picture(server, 'layers=default:roads,default:trees&styles=red,green')
    const document = sldOf(
      named('default:roads', userStyle(green) + userStyle(red, '<IsDefault>1</IsDefault>')),
      named('default:trees', '<NamedStyle><Name>green</Name></NamedStyle>'),
    )
    assert.deepEqual(await picture(server, 'layers=default:roads,default:trees&styles=', document), both)
    assert.deepEqual(await picture(server, 'styles=', document), both)
    const usual = await picture(server, 'layers=default:roads,default:trees&styles=,green')
    const other = sldOf(named('default:others', userStyle(red)))
    assert.deepEqual(await picture(server, 'layers=default:roads,default:trees&styles=,green', other), usual)
    assert.notDeepEqual(usual, both)
  })

  it('are refused where they cannot be read, and reach nothing that is not for the caller', async (t) => {
    const server = await serve({ TERRANE_SLD_BODY: 'on' })
    t.after(() => server.close())
    for (const [document, says] of [
      ['nonsense', /cannot be read/],
      ['<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', /DOCTYPE/],
      [sldOf(), /no NamedLayer/],
      [sldOf(named('default:roads', userStyle('<Rule/>'.repeat(6000)))), /6000 rules/],
    ] as const) {
      const { statusCode, body } = await ask(server, 'layers=default:roads&styles=', document)
      assert.equal(statusCode, 400, document.slice(0, 100))
      assert.match(body, says)
      assert.match(body, /code="InvalidParameterValue"/)
    }
    const unknown = sldOf(named('default:roads', '<NamedStyle><Name>nowhere</Name></NamedStyle>'))
    assert.equal((await ask(server, 'layers=default:roads&styles=', unknown)).statusCode, 404)
    const { statusCode } = await server.app.inject({
      url: `/wms?service=WMS&${box}&styles=&sld_body=${encodeURIComponent(sldOf(named('default:roads', userStyle(red))))}`,
    })
    assert.equal(statusCode, 404)
    // Data and pictures of other places are left out, not fetched.
    const elsewhere = sldOf(
      '<UserLayer><RemoteOWS><Service>WFS</Service><OnlineResource/></RemoteOWS></UserLayer>',
      named(
        'default:roads',
        userStyle(
          `<Rule><PointSymbolizer><Graphic><ExternalGraphic><OnlineResource xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="http://127.0.0.1:1/a.png"/><Format>image/png</Format></ExternalGraphic><Size>20</Size></Graphic></PointSymbolizer></Rule>`,
        ),
      ),
    )
    const blank = await sharp(await picture(server, 'layers=default:roads&styles=', elsewhere))
      .raw()
      .toBuffer()
    assert.ok(blank.every((value) => value === 255))
  })

  it('tell what of them is not read, and are refused where more would be shown than they say', async (t) => {
    const server = await serve({ TERRANE_SLD_BODY: 'on' })
    t.after(() => server.close())
    const vendor = '<VendorOption name="labelObstacle">true</VendorOption></PointSymbolizer>'
    const lossy = green.replace('</PointSymbolizer>', vendor)
    const drawn = await ask(server, 'styles=', sldOf(named('default:roads', userStyle(lossy))))
    assert.equal(drawn.statusCode, 200, drawn.body)
    assert.match(decodeURIComponent(String(drawn.headers['terrane-ignored'])), /SLD_BODY: .*labelObstacle/)
    const whole = await ask(server, 'styles=', sldOf(named('default:roads', userStyle(green))))
    assert.equal(whole.headers['terrane-ignored'], undefined)

    const constraint = `<LayerFeatureConstraints><FeatureTypeConstraint>${isA}</FeatureTypeConstraint></LayerFeatureConstraints>`
    const narrowed = sldOf(named('default:roads', constraint + userStyle(green)))
    const { statusCode, body } = await ask(server, 'styles=', narrowed)
    assert.equal(statusCode, 400, body)
    assert.match(body, /code="OperationNotSupported".*constraint for layer "?&?q?u?o?t?;?default:roads/s)
  })

  it('are ignored where they are not switched on', async (t) => {
    const server = await serve({})
    t.after(() => server.close())
    const usual = await picture(server, 'layers=default:roads&styles=')
    const document = sldOf(named('default:roads', userStyle(green)))
    assert.deepEqual(await picture(server, 'layers=default:roads&styles=', document), usual)
  })
})
