import { describeHostileKeys } from '../../support/hostile-keys.ts'

describeHostileKeys(1)
