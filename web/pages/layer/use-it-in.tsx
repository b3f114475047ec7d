import { useSignal } from '@preact/signals'
import { fullAddressOf } from '../../lib/base.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { messages } from '../../messages/messages.ts'
import { Icon } from '../../parts/icon.tsx'
import { say } from '../../parts/toasts.tsx'

const programs = ['MapLibre', 'Leaflet', 'OpenLayers', 'QGIS', 'Python', 'curl'] as const
type Program = (typeof programs)[number]

/** What somebody pastes into another program; the same addresses as in `docs/maps.md`. */
function codeFor(program: Program, layer: string): string {
  const tiles = `${fullAddressOf(`/tiles/${layer}`)}`
  const items = `${fullAddressOf(`/ogc/collections/${encodeURIComponent(layer)}/items`)}`
  const code: Record<Program, string> = {
    MapLibre: `const map = new maplibregl.Map({\n  container: 'map',\n  style: '${tiles}/style.json'\n})`,
    Leaflet: `const reply = await fetch('${items}?limit=1000')\nL.geoJSON(await reply.json()).addTo(map)`,
    OpenLayers: `new ol.layer.VectorTile({\n  source: new ol.source.VectorTile({\n    format: new ol.format.MVT(),\n    url: '${tiles}/{z}/{x}/{y}.mvt'\n  })\n})`,
    QGIS: `${fullAddressOf('/ogc')}`,
    Python: `import json, urllib.request\nwith urllib.request.urlopen('${items}?limit=10') as reply:\n    print(json.load(reply)['features'][0]['properties'])`,
    curl: `curl '${items}?limit=10'`,
  }
  return code[program]
}

/** Addresses and code for other programs. */
export function UseItIn({ layer }: { layer: string }) {
  const texts = layerTexts.value
  const { state } = messages.value
  const chosen = useSignal<Program>('MapLibre')
  const code = codeFor(chosen.value, layer)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(code)
    say(state.copied)
  }
  return (
    <section class="panel use-it" aria-label={texts.useItIn}>
      <header>
        <h2>{texts.useItIn}</h2>
        <button type="button" class="btn sm" onClick={() => void copy()}>
          <Icon name="copy" />
          {texts.copy}
        </button>
      </header>
      <div class="body stack s2">
        <fieldset class="seg" aria-label={texts.useItIn}>
          {programs.map((program) => (
            <button
              key={program}
              type="button"
              aria-pressed={program === chosen.value}
              onClick={() => {
                chosen.value = program
              }}
            >
              {program}
            </button>
          ))}
        </fieldset>
        {chosen.value === 'QGIS' && <p class="dim">{texts.qgis}</p>}
        <pre class="code-text" tabIndex={0}>
          <code>{code}</code>
        </pre>
      </div>
    </section>
  )
}
