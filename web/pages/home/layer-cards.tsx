import { useEffect } from 'preact/hooks'
import { shownDay, shownNumber } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { useWindow } from '../../components/use-window.ts'
import { homeTexts } from '../../messages/home/texts.ts'
import { messages } from '../../messages/messages.ts'
import { Content, Course, extentText, layerAddress, Thumbnail } from './layer-facts.tsx'
import type { Layer } from './layer-list.ts'
import { found, need } from './layer-list.ts'

const gap = 16
const minWidth = 300
const cardHeight = 338

function columnsOf(width: number): number {
  return Math.max(1, Math.floor((width + gap) / (minWidth + gap)))
}

/** Layers as cards; of many, those in sight. */
export function Cards() {
  const total = found.value?.total ?? 0
  const rowHeight = cardHeight + gap
  const { element, drawn, width } = useWindow<HTMLDivElement>(
    (wide) => Math.ceil(total / columnsOf(wide)),
    rowHeight,
  )
  const columns = columnsOf(width)
  const first = drawn.first * columns
  const end = Math.min(total, drawn.end * columns)
  useEffect(() => need(first, end), [first, end, total])
  const places = width === 0 ? [] : Array.from({ length: end - first }, (_, at) => first + at)
  return (
    <div class="many" ref={element}>
      <ul class="cards" style={{ paddingTop: `${drawn.before}px`, paddingBottom: `${drawn.behind}px` }}>
        {places.map((at) => (
          <Card key={at} layer={found.value?.layers.get(at)} at={at} total={total} />
        ))}
      </ul>
    </div>
  )
}

function Card({ layer, at, total }: { layer: Layer | undefined; at: number; total: number }) {
  if (layer === undefined)
    return (
      <li class="skelcard" aria-setsize={total} aria-posinset={at + 1}>
        <div class="skel" />
        <span class="vh">{messages.value.state.loading}</span>
      </li>
    )
  return (
    <li class="card" aria-setsize={total} aria-posinset={at + 1}>
      <div class="map">
        <Thumbnail layer={layer} />
      </div>
      <Exceptions layer={layer} />
      <Text layer={layer} />
    </li>
  )
}

/** Badges show exceptional states only. */
function Exceptions({ layer }: { layer: Layer }) {
  const texts = homeTexts.value
  const { problem, public: isPublic } = layer
  if (problem === undefined && isPublic) return null
  return (
    <div class="tl">
      {problem !== undefined && (
        <span class={`tag ${problem.code === 'empty' ? 'warn' : 'bad'}`}>
          <Icon name={problem.code === 'empty' ? 'warn' : 'bad'} />
          {texts.problem[problem.code]}
        </span>
      )}
      {!isPublic && (
        <span class="tag">
          <Icon name="lock" />
          {texts.notPublic}
        </span>
      )}
    </div>
  )
}

function Text({ layer }: { layer: Layer }) {
  const texts = homeTexts.value
  const { title, workspace, name, srs, dateModified, requests, bounds } = layer
  const extent = extentText(bounds)
  return (
    <div class="txt">
      <h2 title={title}>
        <a href={layerAddress(layer)} dir="auto">
          {title}
        </a>
      </h2>
      <p class="meta mono cut" title={`${workspace}:${name}`}>
        <bdi>{`${workspace}:${name}`}</bdi>
      </p>
      <p class="meta">
        <span class="keep">
          <Content layer={layer} />
        </span>
        <span>{srs ?? texts.noCrs}</span>
        <time dateTime={dateModified} class="keep">
          {shownDay(dateModified)}
        </time>
      </p>
      <p class="meta">
        {extent !== undefined && (
          <span>
            <span class="vh">{texts.extent}: </span>
            {extent}
          </span>
        )}
      </p>
      {requests !== undefined && (
        <div class="use">
          <span>
            <b>{shownNumber(requests.total)}</b>
            <br />
            <span class="nowrap">{texts.requestsOf30(requests.total)}</span>
          </span>
          <Course requests={requests} />
        </div>
      )}
    </div>
  )
}
