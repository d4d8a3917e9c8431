import { phrases } from "./phrase.ts";

/** Letters, tasks and the client's own card: wishes that have nothing to do with a deal. */
export const DESK_PATTERNS = {
  profile: phrases(
    "(что|какие)( вы| ты)?( обо мне| про меня)( знаете| знаешь| есть)?",
    "(что|какие)( данные)? (у вас )?(на|обо|про) мен(я|е)",
    "мо(й|и) (профиль|данные)",
    "my (profile|data|account details)",
    "what do you (know|have)( noted)? about me",
  ),
  email: phrases(
    "(пришл*|отправ*|вышл*|скин*|продублир*)[^.!?]{0,40} (почт*|email|e-mail|имейл|мейл|мыло)",
    "(пришл*|отправ*|вышл*)[^.!?]{0,20} письм*",
    "(на|по) (почту|почте|email|e-mail|имейл|имейлу|мыло)",
    "(send|email|mail)[^.!?]{0,60} (email|e-mail|mail|inbox)",
    "(email|e-mail) (me|it|this|that|the)*",
  ),
  task: phrases(
    "напомни*",
    "перезвон*",
    "(поставь*|запиш*|созда*|сдела*|завед*)( мне| пожалуйста)~ задачу",
    "remind me",
    "call me (back|later|tomorrow)",
    "(create|make|add|write|note|put)( down)?( me)?( a| the)~ task",
  ),
  save: phrases(
    "(запиш*|сохран*|обнов*|измен*|поменя*|смен*)[^.!?]{0,20} (номер|телефон|почт*|email|e-mail|имейл|адрес почты|имя)",
    "(save|update|change|record|note)( down)?( my| the)~ (number|phone|email|e-mail|mail|name)",
    "my (phone|number|email|e-mail) (is|has changed)",
  ),
  forget: phrases(
    "удал(и|ите|ить)( все)?( мои| меня| мой)~ (данные|профиль|аккаунт)*",
    "(delete|erase|remove)( all)? (me|my|my data|my account)",
  ),
} satisfies Record<string, RegExp>;
