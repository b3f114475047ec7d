import { signal, useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { addressOf } from '../../lib/base.ts'
import { formatTime } from '../../lib/numbers.ts'
import { Resource } from '../../lib/resource.ts'
import type { MapView } from '../../map/map-view.tsx'
import { layerTexts } from '../../messages/layer/texts.ts'
import { messages } from '../../messages/messages.ts'
import { CopyAsCurl } from '../../parts/copy-as-curl.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Failed, Loading, reasonOf } from '../../parts/states.tsx'
import { say } from '../../parts/toasts.tsx'
import { isStaff } from '../../session/session.ts'
import { type Call, call } from '../../wire/client.ts'
import { LayerRows } from './layer-rows.tsx'
import { UseItIn } from './use-it-in.tsx'

interface LayerReply {
  layer: {
    name: string
    title?: string
    abstract?: string
    srs?: string
    bbox?: { minx: number; miny: number; maxx: number; maxy: number; crs?: string }
    attributes?: { name: string }[]
    version?: number
    public?: boolean
    isPublic?: boolean
  }
}

interface Version {
  version: number
  created: string
  user?: string
  cause: string
  rows: number | null
  restorable: boolean
  reason: string | null
}

type Style = Parameters<typeof MapView>[0]['style']

const view = signal<ComponentType<Parameters<typeof MapView>[0]> | undefined>(undefined)

/** `/app/layers/<workspace>:<name>`: a layer as its readers see it, and what can be done with it. */
export function LayerPage({ layer = '' }: Record<string, string>) {
  const id = encodeURIComponent(layer)
  const [facts, style] = useMemo(
    () => [
      new Resource<LayerReply>((aborted) => call({ path: `/rest/layers/${id}` }, aborted)),
      new Resource<Style>((aborted) => call({ path: `/tiles/${id}/style.json` }, aborted)),
    ],
    [id],
  )
  const reload = (): void => {
    void facts.load()
    void style.load()
  }
  useEffect(() => {
    reload()
    return () => {
      facts.stop()
      style.stop()
    }
  }, [facts, style])
  const { value, error } = facts.state.value
  if (error !== undefined) return <Failed error={error} onAgain={reload} />
  if (value === undefined) return <Loading />
  const { title, name, abstract, srs } = value.layer
  return (
    <>
      <div class="head">
        <div>
          <p class="crumb">
            <a href={addressOf('/')}>{messages.value.nav.catalogue}</a>
            <Icon name="right" />
            <span class="mono" dir="auto">
              {layer}
            </span>
          </p>
          <h1 class="title" dir="auto">
            {title ?? name}
          </h1>
          {abstract !== undefined && <p dir="auto">{abstract}</p>}
          <p class="dim mono">{srs}</p>
        </div>
        <div class="acts">
          <CopyAsCurl call={{ path: `/rest/layers/${layer}` }} />
          <a class="btn" href={addressOf(`/app/layers/${id}/style`)}>
            <Icon name="pencil" />
            {layerTexts.value.style}
          </a>
        </div>
      </div>
      <div class="stack">
        {style.state.value.error === undefined && <LayerMap layer={value.layer} style={style.value} />}
        <div class="two">
          <Versions id={id} onRestored={reload} />
          <UseItIn layer={layer} />
        </div>
        <LayerRows id={id} />
      </div>
    </>
  )
}

function LayerMap({ layer, style }: { layer: LayerReply['layer']; style: Style | undefined }) {
  const texts = layerTexts.value
  const picked = useSignal<Record<string, unknown> | undefined>(undefined)
  useEffect(() => {
    void import('../../map/map-view.tsx').then(({ MapView: loaded }) => {
      view.value = loaded
    })
  }, [])
  const View = view.value
  const shown = useMemo(() => style && onGround(style), [style])
  const { bbox } = layer
  const isGeographic = bbox !== undefined && Math.abs(bbox.minx) <= 180 && Math.abs(bbox.maxy) <= 90
  return (
    <section class="panel lay-map">
      <div class="map">
        {View === undefined || shown === undefined ? (
          <Loading />
        ) : (
          <View
            label={texts.map}
            style={shown}
            {...(isGeographic && {
              bounds: [bbox.minx, Math.max(-85, bbox.miny), bbox.maxx, Math.min(85, bbox.maxy)],
            })}
            onPick={([first]) => {
              picked.value = first
            }}
          />
        )}
      </div>
      {picked.value !== undefined && (
        <div class="popup picked" role="status">
          <header class="split">
            <b>{texts.feature}</b>
            <button
              type="button"
              class="btn quiet ic sm"
              aria-label={messages.value.state.close}
              onClick={() => {
                picked.value = undefined
              }}
            >
              <Icon name="x" />
            </button>
          </header>
          <dl>
            {Object.entries(picked.value).map(([key, text]) => (
              <div key={key} class="split">
                <dt class="dim" dir="auto">
                  {key}
                </dt>
                <dd dir="auto">{String(text)}</dd>
              </div>
            ))}
          </dl>
        </div>
      )}
    </section>
  )
}

/** Layers have no ground of their own. */
function onGround(style: Style): Style {
  const ground = { id: 'ground', type: 'background', paint: { 'background-color': '#dfe7e8' } } as const
  return { ...style, layers: [ground, ...style.layers] }
}

function Versions({ id, onRestored }: { id: string; onRestored(): void }) {
  const texts = layerTexts.value
  const { locale } = messages.value
  const error = useSignal<unknown>(undefined)
  const list: Call = { path: `/rest/layers/${id}/versions` }
  const versions = useMemo(
    () =>
      new Resource<{ versions: Version[] }>((aborted) =>
        call({ path: `/rest/layers/${id}/versions` }, aborted),
      ),
    [id],
  )
  useEffect(() => {
    void versions.load()
    return () => versions.stop()
  }, [versions])
  const restore = async (version: number): Promise<void> => {
    error.value = undefined
    try {
      const body = { what: ['data', 'style'] }
      await call({ method: 'POST', path: `/rest/layers/${id}/versions/${version}/restore`, body })
      say(texts.restored(version))
      onRestored()
    } catch (refusal) {
      error.value = refusal
    }
    await versions.load()
  }
  const { value } = versions.state.value
  if (value === undefined) return null
  return (
    <section class="panel" aria-label={texts.versions}>
      <header>
        <h2>{texts.versions}</h2>
        <CopyAsCurl call={list} />
      </header>
      <ul class="body stack s2">
        {value.versions.map(({ version, created, user, cause, rows, restorable, reason }, index) => (
          <li key={version} class={`version row wrap${index === 0 ? ' now' : ''}`}>
            <b class="mono">v{version}</b>
            <span class="grow">
              {rows === null ? '' : `${texts.rows(rows)}, `}
              {texts.causes(cause)}
              <br />
              <span class="dim" dir="auto">
                {formatTime(locale, new Date(created), { dateStyle: 'medium', timeStyle: 'short' })}
                {user === undefined ? '' : `, ${user}`}
              </span>
            </span>
            {index === 0 && <span class="tag acc">{texts.now}</span>}
            {index > 0 && isStaff.value && (
              <button
                type="button"
                class="btn sm"
                disabled={!restorable}
                title={reason ?? ''}
                onClick={() => void restore(version)}
              >
                <Icon name="undo" />
                {texts.putBack}
              </button>
            )}
          </li>
        ))}
      </ul>
      {error.value !== undefined && (
        <p class="err body" role="alert" dir="auto">
          {reasonOf(error.value)}
        </p>
      )}
    </section>
  )
}
