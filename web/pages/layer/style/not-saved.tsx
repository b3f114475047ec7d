import { Icon } from '../../../components/icon.tsx'
import { reasonOf } from '../../../components/states.tsx'
import { styleTexts } from '../../../messages/layer/style/texts.ts'
import { isChangedMeanwhile } from './use-saving.ts'

interface Props {
  error: unknown
  /** Loads the version saved by others, and discards the local changes. */
  onTheirs(): void
  /** Puts what is here in its place. */
  onMine(): void
}

/** Error of saving a style; after a concurrent change, a choice between both versions. */
export function NotSaved({ error, onTheirs, onMine }: Props) {
  const texts = styleTexts.value
  if (error === undefined) return null
  if (!isChangedMeanwhile(error))
    return (
      <p class="err" role="alert">
        <Icon name="bad" />
        <span dir="auto">{reasonOf(error)}</span>
      </p>
    )
  return (
    <div class="note warn" role="alert">
      <Icon name="warn" />
      <div class="stack s2">
        <p>{texts.meanwhile}</p>
        <p class="row wrap">
          <button type="button" class="btn sm" onClick={onTheirs}>
            {texts.takeTheirs}
          </button>
          <button type="button" class="btn sm" onClick={onMine}>
            {texts.putMine}
          </button>
        </p>
      </div>
    </div>
  )
}
