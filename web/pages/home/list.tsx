import { useEffect } from 'preact/hooks'
import { shownDay, shownNumber } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { useWindow } from '../../components/use-window.ts'
import { homeTexts } from '../../messages/home/texts.ts'
import { messages } from '../../messages/messages.ts'
import { Content, Course, layerAddress, Thumbnail } from './layer-facts.tsx'
import type { Layer } from './layer-list.ts'
import { found, need } from './layer-list.ts'

const rowHeight = 58

/** List of layers; draws the visible ones. Arrow keys move the focus. */
export function List() {
  const texts = homeTexts.value
  const total = found.value?.total ?? 0
  const { element, drawn } = useWindow<HTMLTableSectionElement>(() => total, rowHeight)
  useEffect(() => need(drawn.first, drawn.end), [drawn.first, drawn.end, total])
  const layers = [...(found.value?.layers.values() ?? [])]
  const isOpen = !layers.some(({ problem, requests }) => problem !== undefined || requests !== undefined)
  const places = Array.from({ length: drawn.end - drawn.first }, (_, at) => drawn.first + at)
  const rowClass = isOpen ? 'lrow open' : 'lrow'
  return (
    <div class="panel">
      <table class="layers" aria-label={texts.layers} aria-rowcount={total + 1}>
        <thead>
          <tr class={`${rowClass} h`} aria-rowindex={1}>
            <Heads isOpen={isOpen} />
          </tr>
        </thead>
        <tbody ref={element} style={{ paddingTop: `${drawn.before}px`, paddingBottom: `${drawn.behind}px` }}>
          {places.map((at) => (
            <tr class={rowClass} key={at} aria-rowindex={at + 2}>
              <Row layer={found.value?.layers.get(at)} isOpen={isOpen} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Up and down among the links of the list. */
function moveFocus(event: KeyboardEvent & { currentTarget: HTMLAnchorElement }): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  const links = [
    ...(event.currentTarget.closest('table')?.querySelectorAll<HTMLAnchorElement>('a.name') ?? []),
  ]
  const next = links[links.indexOf(event.currentTarget) + step]
  if (step === 0 || next === undefined) return
  event.preventDefault()
  next.focus()
}

function Heads({ isOpen }: { isOpen: boolean }) {
  const { column } = homeTexts.value
  return (
    <>
      <th scope="col">
        <span class="vh">{column.map}</span>
      </th>
      <th scope="col">{column.layer}</th>
      {!isOpen && (
        <th scope="col" class="mid">
          {column.health}
        </th>
      )}
      <th scope="col" class="mid">
        {column.content}
      </th>
      <th scope="col" class="mid">
        {column.crs}
      </th>
      <th scope="col" class={isOpen ? '' : 'wide mid'}>
        {column.changed}
      </th>
      {!isOpen && (
        <>
          <th scope="col" class="wide mid">
            {column.seenBy}
          </th>
          <th scope="col" class="num">
            {column.requests}
          </th>
          <th scope="col" class="wide mid">
            <span class="vh">{column.course}</span>
          </th>
        </>
      )}
    </>
  )
}

function Row({ layer, isOpen }: { layer: Layer | undefined; isOpen: boolean }) {
  const texts = homeTexts.value
  if (layer === undefined) return <td class="dimmer">{messages.value.state.loading}</td>
  const { title, workspace, name, srs, dateModified } = layer
  return (
    <>
      <td>
        <span class="thumb">
          <Thumbnail layer={layer} isSmall />
        </span>
      </td>
      <th scope="row" class="two">
        <a class="name" href={layerAddress(layer)} dir="auto" title={title} onKeyDown={moveFocus}>
          {title}
        </a>
        <bdi class="mono dimmer">{`${workspace}:${name}`}</bdi>
      </th>
      {!isOpen && <Health layer={layer} />}
      <td class="mid">
        <Content layer={layer} />
      </td>
      <td class="mid">{srs ?? texts.noCrs}</td>
      <td class={isOpen ? '' : 'wide mid'}>
        <time dateTime={dateModified}>{shownDay(dateModified)}</time>
      </td>
      {!isOpen && <Use layer={layer} />}
    </>
  )
}

function Health({ layer: { problem } }: { layer: Layer }) {
  const texts = homeTexts.value
  const [kind, icon] =
    problem === undefined ? ['ok', 'ok'] : problem.code === 'empty' ? ['warn', 'warn'] : ['bad', 'bad']
  return (
    <td class="mid">
      <span class={`st ${kind}`}>
        <Icon name={icon} />
        <span>{problem === undefined ? texts.healthy : texts.problem[problem.code]}</span>
      </span>
    </td>
  )
}

function Use({ layer: { requests, public: isPublic } }: { layer: Layer }) {
  const texts = homeTexts.value
  return (
    <>
      <td class="wide mid">
        <span class="row">
          {!isPublic && <Icon name="lock" />}
          <span>{isPublic ? texts.everyone : texts.signedIn}</span>
        </span>
      </td>
      <td class="num">{requests === undefined ? '' : shownNumber(requests.total)}</td>
      <td class="wide mid">{requests !== undefined && <Course requests={requests} />}</td>
    </>
  )
}
