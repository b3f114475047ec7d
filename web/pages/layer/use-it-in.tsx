import { useSignal } from '@preact/signals'
import { useEffect, useId, useMemo } from 'preact/hooks'
import { copyText } from '../../components/copy-as-curl.tsx'
import { Icon } from '../../components/icon.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { addressOf } from '../../lib/base.ts'
import { Resource } from '../../lib/resource.ts'
import { query, setQuery } from '../../lib/router.ts'
import { useTexts } from '../../messages/layer/use/texts.ts'
import { session } from '../../session/session.ts'
import { AddressesList } from './use/addresses-list.tsx'
import { isShownByTiles, leafletCode, mapLibreCode, openLayersCode } from './use/page-code.ts'
import { curlCode, gdalCode, pythonCode, rCode } from './use/script-code.ts'
import {
  askUsedLayer,
  ogcAddress,
  type Program,
  programsFor,
  tilesAddress,
  type UsedLayer,
} from './use/used-layer.ts'

/** Returns the code for a program. */
function codeFor(program: Program, layer: UsedLayer): string {
  const isRaster = layer.kind === 'raster'
  const makers: Record<Program, () => string> = {
    QGIS: () => (isRaster ? `${tilesAddress(layer)}/{z}/{x}/{y}.png` : ogcAddress()),
    ArcGIS: () => (isRaster ? `${tilesAddress(layer)}/{level}/{col}/{row}.png` : ogcAddress()),
    MapLibre: () => mapLibreCode(layer),
    Leaflet: () => leafletCode(layer),
    OpenLayers: () => openLayersCode(layer),
    R: () => rCode(layer),
    Python: () => pythonCode(layer),
    GDAL: () => gdalCode(layer),
    curl: () => curlCode(layer),
  }
  return makers[program]()
}

/** Addresses and code for other programs; `?use=` selects the program. */
export function UseItIn({ layer: id }: { layer: string }) {
  const texts = useTexts.value
  const title = useId()
  const user = session.value === null ? null : session.value?.user
  const facts = useMemo(() => new Resource((signal) => askUsedLayer(id, signal)), [id, user])
  useEffect(() => {
    if (user !== undefined) void facts.load()
    return () => facts.stop()
  }, [facts, user])
  const { value, error } = facts.state.value
  return (
    <section class="panel use-it" aria-labelledby={title} id="use">
      <header>
        <h2 id={title}>{texts.title}</h2>
      </header>
      {error !== undefined && <Failed error={error} onAgain={() => void facts.load()} />}
      {value === undefined && error === undefined && <Loading />}
      {value !== undefined && <Programs layer={value} />}
      {value !== undefined && <AddressesList layer={value} />}
    </section>
  )
}

function Programs({ layer }: { layer: UsedLayer }) {
  const texts = useTexts.value
  const tabs = programsFor(layer)
  const requested = useSignal(query.value.get('use'))
  const chosen = tabs.find((one) => one === requested.value) ?? tabs[0] ?? 'curl'
  const choose = (program: Program): void => {
    requested.value = program
    setQuery({ use: program })
    document.getElementById(`use-${program}`)?.focus()
  }
  const onKey = (event: KeyboardEvent): void => {
    const turn = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    const next = turn === undefined ? undefined : tabs.at((tabs.indexOf(chosen) + turn) % tabs.length)
    if (next === undefined) return
    event.preventDefault()
    choose(next)
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={texts.programs} tabIndex={-1} onKeyDown={onKey}>
        {tabs.map((program) => (
          <button
            key={program}
            type="button"
            role="tab"
            id={`use-${program}`}
            aria-selected={program === chosen}
            aria-controls="use-panel"
            tabIndex={program === chosen ? 0 : -1}
            onClick={() => choose(program)}
          >
            {program}
          </button>
        ))}
      </div>
      <div class="body stack s2" role="tabpanel" id="use-panel" aria-labelledby={`use-${chosen}`}>
        <Instructions program={chosen} layer={layer} />
      </div>
    </>
  )
}

function stepsFor(program: Program, layer: UsedLayer): string | undefined {
  const texts = useTexts.value
  if (program === 'Leaflet' && layer.kind === 'features')
    return texts.leaflet[isShownByTiles(layer) ? 'tiles' : layer.isLarge ? 'first' : 'features']
  return texts.steps[layer.kind === 'raster' ? 'raster' : 'features'][program]
}

function Instructions({ program, layer }: { program: Program; layer: UsedLayer }) {
  const texts = useTexts.value
  const code = codeFor(program, layer)
  const steps = stepsFor(program, layer)
  const file = `/tiles/${encodeURIComponent(layer.id)}/layer.qlr`
  return (
    <>
      {program === 'QGIS' && (
        <p class="row wrap">
          <a class="btn" href={addressOf(file)} download>
            <Icon name="download" />
            {texts.qlr}
          </a>
          <span class="small dim qlr-hint">{texts.qlrHint}</span>
        </p>
      )}
      {steps !== undefined && <p class="small">{steps}</p>}
      <section class="scroll" tabIndex={0} aria-label={texts.codeFor(program)}>
        <pre class="code-text">
          <code>{code}</code>
        </pre>
      </section>
      {!layer.isPublic && (
        <p class="note">
          <Icon name="lock" />
          <span>
            {texts.token[program === 'QGIS' || program === 'ArcGIS' ? 'login' : 'code']}{' '}
            <a href={addressOf('/app/account')}>{texts.tokens}</a>
          </span>
        </p>
      )}
      <p class="row wrap">
        <button type="button" class="btn sm" onClick={() => void copyText(code)}>
          <Icon name="copy" />
          {texts.copy}
        </button>
        {texts.needs[program] !== undefined && <span class="small dim">{texts.needs[program]}</span>}
      </p>
    </>
  )
}
