import { call } from '../../api/client.ts'
import { shownMoment } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { addressOf } from '../../lib/base.ts'
import { goTo } from '../../lib/router.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { sourceTexts } from '../../messages/sources/texts.ts'
import { RunButton } from './run-button.tsx'
import { scheduleText } from './source-words.ts'
import { StateMark } from './state-mark.tsx'
import { type Source, shownState, sourcePage } from './types.ts'

/** The sources that load a layer, with a button that imports it again; nothing if there are none. */
export function FedBy({ layer }: { layer: string }) {
  const texts = sourceTexts.value
  const answer = useAnswer(
    layer,
    async (signal) =>
      (await call<{ sources: Source[] }>({ path: '/rest/sources', query: { layer } }, signal)).sources,
  )
  const sources = answer.value ?? []
  return sources.slice(0, 5).map((source) => (
    <section key={source.name} class="note fed-by" aria-label={`${texts.fedBy} ${source.name}`}>
      <Icon name="refresh" />
      <div class="row wrap">
        <span class="grow">
          {texts.fedBy}{' '}
          <a href={addressOf(sourcePage(source.name))}>
            <bdi>{source.name}</bdi>
          </a>
          {', '}
          {scheduleText(source.schedule)}
          {source.lastRun?.ended != null &&
            `, ${texts.lastRun} ${shownMoment(new Date(source.lastRun.ended))}`}{' '}
          <StateMark state={shownState(source)} />
        </span>
        <RunButton
          name={source.name}
          text={texts.importAgain}
          class="btn sm"
          onStarted={() => goTo(sourcePage(source.name))}
        />
      </div>
    </section>
  ))
}
