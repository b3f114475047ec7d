import { call } from '../../api/client.ts'
import type { Calls } from '../../api/openapi.d.ts'
import { shownMoment } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { addressOf } from '../../lib/base.ts'
import { Resource } from '../../lib/resource.ts'
import { query } from '../../lib/router.ts'
import { sourceTexts } from '../../messages/sources/texts.ts'
import { Frame, Nothing, PageSections } from '../manage/frame.tsx'
import { partOf, partSize } from '../manage/listing.ts'
import { problemText } from './problem-text.ts'
import { RunButton } from './run-button.tsx'
import { dataText, scheduleText, targetText } from './source-words.ts'
import { OutcomeMark, StateMark } from './state-mark.tsx'
import { type Source, shownOutcome, shownState, sourcePage } from './types.ts'
import { isMovingState, useRefreshed } from './use-refreshed.ts'

const path = '/rest/sources'
const sources = new Resource((signal) => call<Calls['GET /rest/sources']['answer']>({ path }, signal))

/** `/app/sources`: imports that repeat, with their state, schedule, last and next run. */
export function SourcesPage() {
  const texts = sourceTexts.value
  const list = sources.state.value
  const all = list.value?.sources ?? []
  useRefreshed(
    sources,
    all.some(({ state }) => isMovingState(state)),
  )
  const words = (query.value.get('q') ?? '').toLowerCase()
  const found = all.filter((one) => searchedText(one).includes(words))
  const from = partOf(query.value) * partSize
  const problems = all.filter(({ problem }) => problem !== null).length
  return (
    <Frame
      place="sources"
      lead={all.length === 0 ? texts.lead : texts.sums(all.length, problems)}
      requested={{ path }}
      act={texts.new}
      actPage="/app/new-source"
      list={list}
      onAgain={() => void sources.load()}
      isSearched={all.length > 0}
    >
      {all.length === 0 ? (
        <div class="panel state">
          <h2>{texts.empty}</h2>
          <p class="dim">{texts.emptyHint}</p>
        </div>
      ) : found.length === 0 ? (
        <Nothing />
      ) : (
        <Table rows={found.slice(from, from + partSize)} />
      )}
      <PageSections total={found.length} />
    </Frame>
  )
}

function searchedText({ name, data, target, layers }: Source): string {
  return [name, dataText(data), targetText(target) ?? '', ...layers].join('\n').toLowerCase()
}

function Table({ rows }: { rows: readonly Source[] }) {
  const texts = sourceTexts.value
  return (
    <section class="panel scroll" aria-label={texts.schedule}>
      <table class="rowcards sources">
        <thead>
          <tr>
            <th>{texts.form.name}</th>
            <th class="wide">{texts.from}</th>
            <th>{texts.to}</th>
            <th>{texts.schedule}</th>
            <th>{texts.lastRun}</th>
            <th>{texts.nextRun}</th>
            <th>
              <span class="vh">{texts.runNow}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.name} {...row} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Row(source: Source) {
  const texts = sourceTexts.value
  const { name, data, schedule, nextRun, lastRun } = source
  const problem = problemText(source)
  return (
    <tr>
      <td>
        <a class="name" href={addressOf(sourcePage(name))}>
          <bdi>{name}</bdi>
        </a>
        <div>
          <StateMark state={shownState(source)} />
        </div>
        {problem !== undefined && (
          <div class="small about problem" dir="auto">
            {problem}
          </div>
        )}
      </td>
      <td class="wide" data-l={texts.from}>
        <span class="small mono" dir="auto">
          {dataText(data)}
        </span>
      </td>
      <td data-l={texts.to}>
        <Layers {...source} />
      </td>
      <td data-l={texts.schedule}>{scheduleText(schedule)}</td>
      <td data-l={texts.lastRun}>
        {lastRun === null ? (
          texts.never
        ) : (
          <>
            <OutcomeMark outcome={shownOutcome(lastRun)} />
            <div class="dim small">
              {shownMoment(new Date(lastRun.ended ?? lastRun.started ?? lastRun.due))}
            </div>
          </>
        )}
      </td>
      <td data-l={texts.nextRun} class="nowrap">
        {nextRun === null ? '–' : shownMoment(new Date(nextRun))}
      </td>
      <td class="num acts-cell">
        <RunButton
          name={name}
          text={texts.runNow}
          class="btn sm"
          isNamed
          onStarted={() => void sources.load()}
        />
      </td>
    </tr>
  )
}

/** Links to the layers that a source has loaded, or the name of the layer that it will load. */
export function Layers({ layers, target }: Source) {
  if (layers.length === 0) return <span dir="auto">{targetText(target) ?? sourceTexts.value.byFileName}</span>
  const shown = layers.slice(0, 3)
  return (
    <>
      {shown.map((layer, at) => (
        <span key={layer}>
          {at > 0 && ', '}
          <a href={addressOf(`/app/layers/${encodeURIComponent(layer)}`)}>
            <bdi>{layer}</bdi>
          </a>
        </span>
      ))}
      {layers.length > shown.length && ` +${layers.length - shown.length}`}
    </>
  )
}

/** Path to the list of sources above the title of a page. */
export function Crumb({ name }: { name?: string }) {
  const texts = sourceTexts.value
  return (
    <p class="crumb">
      <a href={addressOf('/app/sources')}>{texts.title}</a>
      <Icon name="right" />
      <span dir="auto">{name ?? texts.newTitle}</span>
    </p>
  )
}
