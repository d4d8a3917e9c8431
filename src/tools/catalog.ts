import type { AnyTool } from "./contract.ts";
import { cancelExchangeOrder } from "./exchange/tools/cancel-exchange-order.ts";
import { checkExchangeVerification } from "./exchange/tools/check-exchange-verification.ts";
import { computeExchangeQuote } from "./exchange/tools/compute-exchange-quote.ts";
import { confirmFiatPayment } from "./exchange/tools/confirm-fiat-payment.ts";
import { createExchangeOrder } from "./exchange/tools/create-exchange-order.ts";
import type { ExchangeDeps } from "./exchange/tools/exchange-deps.ts";
import { fetchExchangeRequisites } from "./exchange/tools/fetch-exchange-requisites.ts";
import { getExchangeBusinessInfo } from "./exchange/tools/get-exchange-business-info.ts";
import { issueExchangePayout } from "./exchange/tools/issue-exchange-payout.ts";
import { verifyExchangePayment } from "./exchange/tools/verify-exchange-payment.ts";
import { handoffToOperator } from "./handoff-to-operator.ts";
import { offerBookingLink } from "./offer-booking-link.ts";
import { type SearchKnowledge, searchKnowledgeBase } from "./search-knowledge-base.ts";
import { setKycStatus } from "./set-kyc-status.ts";

export interface ToolDeps extends ExchangeDeps {
  searchKnowledge: SearchKnowledge;
}

/** Every tool there is; what a tenant is offered of them is decided elsewhere. */
export function createTools(deps: ToolDeps): AnyTool[] {
  return [
    searchKnowledgeBase(deps),
    offerBookingLink(deps),
    handoffToOperator(deps),
    computeExchangeQuote(deps),
    checkExchangeVerification(),
    createExchangeOrder(deps),
    fetchExchangeRequisites(deps),
    verifyExchangePayment(deps),
    issueExchangePayout(deps),
    cancelExchangeOrder(deps),
    getExchangeBusinessInfo(deps),
    setKycStatus(),
    confirmFiatPayment(),
  ] as unknown as AnyTool[]; // each takes what its own schema lets through
}
