import { APPROVE, REJECT } from "./cast.js";
import { t } from "./texts.js";

/**
 * @typedef {object} Step
 * @property {string} action    what happens
 * @property {string} look      what to look at afterwards
 * @property {string} panel     where
 * @property {() => Promise<unknown>} run
 *
 * @typedef {{ id: string, steps(cast: any): Step[] }} Story
 */

/** A step whose words stand in the texts under `<story>_<number>` and `<story>_<number>_look`. */
function tell(story, cast) {
  let number = 0;
  return (panel, run) => {
    number += 1;
    const key = `${story}_${number}`;
    const values = { name: cast.name, amount: cast.amount };
    return { action: t(key, values), look: t(`${key}_look`, values), panel, run };
  };
}

const LOST_ANSWER = {
  service: "payout",
  kind: "drop_response_after_effect",
  delay_ms: 1000,
  count: 1,
};

/** @type {Story[]} */
export const STORIES = [
  { id: "deal", steps: dealSteps },
  { id: "stranger", steps: strangerSteps },
  { id: "reject", steps: rejectSteps },
  { id: "lost", steps: lostSteps },
  { id: "courier", steps: courierSteps },
];

function dealSteps(cast) {
  const step = tell("deal", cast);
  return [
    step("lead", () => cast.says(t("say_hours"))),
    step("trace", () => cast.says(t("say_exchange", { amount: cast.amount }))),
    step("lead", () => cast.says(t("say_yes"))),
    step("operators", () => cast.attaches("photo", "video_note")),
    step("operators", () => cast.presses("alice", APPROVE)),
    step("lead", () => cast.says(t("say_where"))),
    step("trace", () => cast.pays()),
    step("operators", () => cast.says(t("say_when"))),
    step("trace", () => cast.presses("bob", APPROVE, "telegram")),
    step("operators", async () => cast.shows("slack")),
  ];
}

function strangerSteps(cast) {
  const step = tell("stranger", cast);
  return [
    step("operators", async () => {
      await cast.says(t("say_check_me"));
      await cast.quiet();
      await cast.attaches("photo", "video_note");
    }),
    step("operators", () => cast.presses("eve", APPROVE)),
    step("trace", async () => {}),
    step("operators", () => cast.presses("alice", APPROVE)),
  ];
}

function rejectSteps(cast) {
  const step = tell("reject", cast);
  return [
    step("operators", async () => {
      await cast.says(t("say_check_me"));
      await cast.quiet();
      await cast.attaches("photo");
    }),
    step("operators", () => cast.presses("alice", REJECT)),
    step("lead", () => cast.writesReason(t("say_reason"))),
    step("operators", () => cast.attaches("photo", "video_note")),
    step("lead", () => cast.presses("bob", APPROVE)),
  ];
}

function lostSteps(cast) {
  const step = tell("lost", cast);
  return [
    step("operators", () => cast.reachesPayout()),
    step("operators", () => cast.fault(LOST_ANSWER)),
    step("trace", () => cast.presses("bob", APPROVE)),
    step("lead", async () => {}),
  ];
}

function courierSteps(cast) {
  const step = tell("courier", cast);
  return [
    step("trace", () => cast.says(t("say_roubles"))),
    step("lead", () => cast.says(t("say_suits"))),
    step("operators", () => cast.attaches("photo", "video_note")),
    step("lead", () => cast.presses("alice", APPROVE)),
    step("lead", () => cast.says(t("say_checked"))),
    step("operators", () => cast.sendsReceipt()),
    step("lead", () => cast.presses("bob", APPROVE)),
  ];
}
